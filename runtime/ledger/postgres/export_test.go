package postgres

import (
	"slices"
	"time"
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
