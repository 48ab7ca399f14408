package postgres

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// turn is a connection for as long as items are written with it.
type turn struct {
	store *Store
	conn  *pgxpool.Conn // nil: it was lost, and no other was to be had
	until time.Time     // when nothing is tried again any more
}

func (t *turn) end() {
	if t.conn != nil {
		t.conn.Release()
	}
}

// unconnectedError says that there was no connection to send a statement over.
type unconnectedError struct{}

func (unconnectedError) Error() string { return "the connection was lost, and no other was to be had" }

// SafeToRetry is what the driver says of its own errors.
func (unconnectedError) SafeToRetry() bool { return true }

// write writes items, and gives the verdict on each.
func (t *turn) write(ctx context.Context, items []*item) []error {
	if err := t.send(ctx, items); err != nil {
		return t.failed(ctx, items, err)
	}
	each := make([]error, len(items))
	var again []*item
	for n, i := range items {
		if _, isIt := i.capOf(unsure); isIt {
			i.exclusive = true
			again = append(again, i)
			continue
		}
		each[n] = t.verdict(ctx, i)
	}
	return t.some(ctx, again, items, each)
}

// some writes some of the items, and puts the verdicts on these among each.
func (t *turn) some(ctx context.Context, some, items []*item, each []error) []error {
	if len(some) == 0 {
		return each
	}
	verdicts := t.write(ctx, some)
	for n, i := range items {
		if at := slices.Index(some, i); at >= 0 {
			each[n] = verdicts[at]
		}
	}
	return each
}

// failed is the verdict when a transaction failed. When that wrote nothing, each item of several is tried alone, while there is
// time: what one failed for is not the fault of the others.
func (t *turn) failed(ctx context.Context, items []*item, err error) []error {
	if codeOf(err) == codeLockNotAvailable && !items[0].waits {
		return t.locked(ctx, items)
	}
	each := make([]error, len(items))
	for n, i := range items {
		switch {
		case !wroteNothing(err):
			each[n] = t.store.unsure.after(t.store.undecided(i.doing(), err, lookAtChange), i)
		case len(items) == 1 || t.conn == nil:
			each[n] = t.store.explain(i.doing(), err)
		case time.Now().After(t.until):
			each[n] = t.store.busy(i.doing(), "what was written with it failed, and no time was left to try it alone", inOneLine(err))
		default:
			each[n] = t.write(ctx, []*item{i})[0]
		}
	}
	return each
}

// locked is the verdict when a lock was not to be had soon, and so nothing was written. Those of the items that are the likeliest
// to need it are to wait for it where they keep nobody waiting. The others are written again.
func (t *turn) locked(ctx context.Context, items []*item) []error {
	each := make([]error, len(items))
	var others []*item
	likeliest := slices.MaxFunc(items, func(a, b *item) int { return cmp.Compare(a.needs(), b.needs()) }).needs()
	for n, i := range items {
		if each[n] = errLocked; i.needs() < likeliest {
			others = append(others, i)
		}
	}
	return t.some(ctx, others, items, each)
}

// send has the transaction of items carried out, again and again while it meets with others.
func (t *turn) send(ctx context.Context, items []*item) error {
	for {
		err := t.attempt(ctx, items)
		if err == nil || !comesAgain(err) || time.Now().After(t.until) {
			return err
		}
		if t.reconnect(ctx) != nil || pause(ctx) != nil {
			return err
		}
	}
}

// reconnect replaces a connection that was lost before anything was sent.
func (t *turn) reconnect(ctx context.Context) (err error) {
	if t.conn != nil && !t.conn.Conn().IsClosed() {
		return nil
	}
	t.end()
	t.conn, err = t.store.acquire(ctx, t.store.pool, "write")
	return err
}

// attempt carries the transaction of items out once. What they say of themselves holds if it does not fail.
func (t *turn) attempt(ctx context.Context, items []*item) error {
	if t.conn == nil {
		return unconnectedError{}
	}
	ctx, cancel := context.WithTimeout(ctx, t.store.patience())
	defer cancel()
	locks := t.store.locksFor(items)
	parts, err := t.store.partsOf(items, locks)
	if err != nil {
		return &unsentError{err}
	}
	conn := t.conn.Conn().PgConn()
	if len(parts) > 1 || len(locks) > 0 {
		return confirmed(conn, t.together(ctx, locks, parts))
	}
	rows, err := t.conn.Query(ctx, parts[0].query, parts[0].args...)
	if err == nil {
		err = parts[0].read(rows)
	}
	return confirmed(conn, err)
}

// together carries parts out in one transaction and one round trip. Each statement sees what was committed before it began:
// what is counted must be seen with the lock in hand, whatever isolation is the default.
func (t *turn) together(ctx context.Context, l locks, parts []*part) (err error) {
	var batch pgx.Batch
	batch.Queue("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE")
	if len(l) > 0 {
		query, args := l.statement(&t.store.options, t.store.lockWait(parts[0].items[0]))
		batch.Queue(query, args...)
	} else {
		batch.Queue("SELECT " + alive)
	}
	for _, p := range parts {
		batch.Queue(p.query, p.args...).Query(p.read)
	}
	batch.Queue("COMMIT")
	err = t.conn.SendBatch(ctx, &batch).Close()
	if err != nil && !t.conn.Conn().IsClosed() && t.conn.Conn().PgConn().TxStatus() != idle {
		_, _ = t.conn.Exec(ctx, "ROLLBACK") // if that fails too, the connection is closed
	}
	return err
}

// idle is the status of a connection in no transaction.
const idle = 'I'

// whyNotWritten looks for what is in the way of an item. Others wait for the turn meanwhile.
func (t *turn) whyNotWritten(ctx context.Context, i *item) error {
	if t.conn == nil {
		return unconnectedError{}
	}
	ctx, cancel := context.WithTimeout(ctx, t.store.patience())
	defer cancel()
	return t.store.whyNotWritten(ctx, t.conn, i)
}

// verdict is that on an item whose transaction was committed. What was in the way of a record may be gone again.
func (t *turn) verdict(ctx context.Context, i *item) error {
	if err := t.store.refusal(i); err != nil || i.done {
		return err
	}
	err := t.whyNotWritten(ctx, i)
	switch {
	case err != nil && !isAnswer(err):
		return t.store.busy(i.doing(), "something was in its way, and could not be looked at", err)
	case err != nil:
		return err
	case time.Now().After(t.until):
		return t.store.gone(i)
	}
	return t.write(ctx, []*item{i})[0]
}
