package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
)

// WithLease has holds last, and be renewed and be lost, after other times.
func WithLease(length, renewal, loss time.Duration) Option {
	return func(o *options) { o.lease = lease{length: length, renewal: renewal, loss: loss} }
}

// WithStep has the program know one more step, after which programs made for a schema before oldest must not use the
// ledger.
func WithStep(sql string, oldest int64) Option {
	return func(o *options) {
		o.steps = append(slices.Clip(o.steps), step{schema: o.programSchema() + 1, sql: sql, oldest: oldest})
	}
}

// ErrUndecided says that nobody answered for a write.
var ErrUndecided = errUndecided

// SetBusyTimeout changes how long a store waits, so that a test can open a ledger in peace and then be impatient.
func (s *Store) SetBusyTimeout(d time.Duration) { s.busyTimeout = d }

// SetAnswerPatience changes how long after the busy timeout a store waits for an answer.
func (s *Store) SetAnswerPatience(d time.Duration) { s.answers = d }

// ErrLocked says that a row was locked, or not there, when writes were gathered.
var ErrLocked = errLocked

// Write is one of those that go to the database together.
type Write = *item

// NewSwap is what Store.Swap has written.
func NewSwap(r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) Write {
	return &item{swaps: true, record: r, notAfter: notAfter, event: e, caps: caps}
}

// NewInsert is what Store.Insert has written.
func NewInsert(r ledger.Record, e ledger.Event, caps ...ledger.Cap) Write {
	return &item{record: r, event: e, caps: caps}
}

// Together has writes go to the database in one transaction, as if all of them had waited for it.
func (s *Store) Together(ctx context.Context, writes []Write) []error {
	each, err := s.run(ctx, func() []*item { return writes })
	if err != nil {
		return []error{err}
	}
	return each
}

// Interrupted is Together with a connection that was lost on the way, when there was no other.
func (s *Store) Interrupted(ctx context.Context, writes []Write) []error {
	t := &turn{store: s, until: time.Now().Add(s.busyTimeout)}
	defer t.end()
	return t.write(ctx, writes)
}

// Stored is a text as PostgreSQL can hold it.
func Stored(text string) string { return stored(text) }

// Restored is a text that was stored.
func Restored(text string) (s string, err error) {
	err = textField{&s}.Scan(text)
	return s, err
}

// WroteNothing tells whether a statement that failed with an error is known to have written nothing.
func WroteNothing(err error) bool { return wroteNothing(err) }

// Explain gives an error of the server the meaning it has for a ledger.
func Explain(err error) error {
	o := newOptions(nil)
	return o.explain("write", err)
}

// LateTerm tells of a hold that is kept for that long whether it is lost when somebody asks, and its latest renewal began at
// that time. No timer has run meanwhile, as in a process that was stopped.
func LateTerm(length time.Duration, began time.Time) (isLost bool) {
	t := newTerm(length, time.Now(), func(error) {})
	defer t.end()
	t.renewed = began
	select {
	case <-t.judged():
		return true
	default:
		return false
	}
}

// Unguarded is the transaction of a joined body without what keeps a body from ending it.
func Unguarded(tx pgx.Tx) pgx.Tx { return tx.(*lent).tx }
