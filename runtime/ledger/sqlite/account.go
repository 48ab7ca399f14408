package sqlite

import (
	"context"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// account is the one row that every write changes: what the ledger has taken, and who may use it.
type account struct {
	newest    time.Time // of all events, those that were pruned too; zero before the first
	writes    int64     // one for each event, and those that have none
	eventless int64     // of the writes, those that have no event, or whose event was pruned
	pruned    time.Time // the newest of the events that were pruned; zero before
	schema    int64     // that the ledger has
	oldest    int64     // the oldest schema whose programs may use the ledger
	key       []byte    // fingerprint of its key; nil before there is one
}

// accountFields are the values of accountColumns, to be bound or scanned.
func accountFields(a *account) []any {
	return summed(columns.Time(&a.newest), &a.writes, &a.eventless, columns.Time(&a.pruned), &a.schema, &a.oldest, columns.Bytes(&a.key))
}

// withEvent is the account after a write that added an event at that time. Its clock never goes back.
func (a account) withEvent(at time.Time) account {
	a.writes++
	a.newest = later(a.newest, at)
	return a
}

// withoutEvent is the account after a write that added none.
func (a account) withoutEvent() account {
	a.writes++
	a.eventless++
	return a
}

// withPruned is the account after so many events were removed, of which the newest was of that time.
func (a account) withPruned(events int64, newest time.Time) account {
	a.eventless += events
	a.pruned = later(a.pruned, newest)
	return a
}

// later is the later of two times, of which a zero one is none.
func later(a, b time.Time) time.Time {
	if a.IsZero() || b.After(a) {
		return b
	}
	return a
}

// readAccount reads the account of the ledger behind db.
func readAccount(ctx context.Context, db querier) (a account, err error) {
	err = db.QueryRowContext(ctx, accountSQL).Scan(accountFields(&a)...)
	return a, err
}
