package sqlite

import (
	"math/rand/v2"
	"slices"
	"time"
)

// SetBusyTimeout changes how long writes wait, so that a test can open a ledger in peace and then be impatient.
func (s *Store) SetBusyTimeout(d time.Duration) { s.busyTimeout = d }

// ShareAtOnce has the process of s leave the lock after each write to another one that waits for it, until it has taken it, or
// that time is over. Nobody waits yet.
func (s *Store) ShareAtOnce(offers time.Duration) {
	s.turn.slice, s.turn.offers = 0, offers
	s.turn.begin()
}

// LockPath is the file whose time a process sets that waits for its turn.
func (s *Store) LockPath() string { return s.turn.path() }

// WithStep has the program know one more step, after which programs made for a schema before oldest must not use the
// ledger.
func WithStep(sql string, oldest int64) Option {
	return func(o *options) {
		o.steps = append(slices.Clip(o.steps), step{schema: programSchema(o.steps) + 1, sql: sql, oldest: oldest})
	}
}

// Noise is bytes that take as much room in a ledger as they are long: they cannot be compressed.
func Noise(length int) []byte {
	noise := make([]byte, length)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise) // never fails
	return noise
}

// WithStretch has long reads look at so many row numbers in one state.
func WithStretch(rows int64) Option { return func(o *options) { o.stretch = rows } }

// WithLogBound has the store bring its log back to another size.
func WithLogBound(bytes int64) Option { return func(o *options) { o.logBound = bytes } }

// WithLogPages has the engine copy the log into the file from another number of pages on.
func WithLogPages(pages int) Option { return func(o *options) { o.logPages = pages } }

// Together is several options in one.
func Together(opts ...Option) Option {
	return func(o *options) {
		for _, opt := range opts {
			opt(o)
		}
	}
}
