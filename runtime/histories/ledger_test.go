package histories_test

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// book is a ledger that can be looked at as a whole.
type book interface {
	ledger.Store
	Check(ctx context.Context) (faults []string, err error)
}

// opener opens the ledger of a history, and the same one each time.
type opener func(clock func() time.Time) (book, error)

// longLease is a lease that ends in no episode: a machine that is slow takes nobody for gone who lives.
const longLease = time.Hour

var silent = slog.New(slog.DiscardHandler)

// ledgerKinds are what histories are played over, each with a new ledger that is there until the test ends.
var ledgerKinds = map[string]func(t *testing.T) opener{"sqlite": inFile, "postgres": inDatabase}

func inFile(t *testing.T) opener {
	path := filepath.Join(t.TempDir(), "ledger", "changes.db")
	return func(clock func() time.Time) (book, error) {
		return sqlite.Open(context.Background(), path, sqlite.WithClock(clock), sqlite.WithBusyTimeout(patience), sqlite.WithLogger(silent))
	}
}

func inDatabase(t *testing.T) opener {
	dsn := pgcluster.Shared(t).NewDatabase(t) + "&pool_max_conns=4" // of which there are several episodes with several servers
	key := bytes.Repeat([]byte{7}, 32)
	return func(clock func() time.Time) (book, error) {
		return postgres.Open(context.Background(), dsn, postgres.WithClock(clock), postgres.WithBusyTimeout(patience),
			postgres.WithLogger(silent), postgres.WithSensitiveKey(key), postgres.WithLeaseLength(longLease), postgres.DespiteNoSync())
	}
}

// open opens the ledger for one more of those that share it.
func (h *history) open() (book, error) { return h.ledger(h.clock.read) }
