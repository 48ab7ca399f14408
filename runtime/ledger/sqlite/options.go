package sqlite

import (
	"log/slog"
	"math"
	"time"
)

// DefaultBusyTimeout is how long a write waits for its turn when no other time is set.
const DefaultBusyTimeout = 5 * time.Second

// DefaultBatch is how many writes one transaction takes at most when nothing else is set.
const DefaultBatch = 256

// Option changes how Open opens a ledger.
type Option func(*options)

type options struct {
	busyTimeout time.Duration
	batch       int // the most writes of a transaction
	clock       func() time.Time
	logger      *slog.Logger
	mustExist   bool
	past        bool // damage, which is told of when it is read
	looks       bool
	steps       []step // that the program knows
	logPages    int    // from how many pages on the engine copies the log
	logBound    int64  // size of the log, in bytes
	stretch     int64  // how many row numbers a long read looks at in one state
}

func newOptions(opts []Option) options {
	o := options{
		busyTimeout: DefaultBusyTimeout, batch: DefaultBatch, clock: time.Now, logger: slog.Default(),
		steps: steps, logPages: logPages, logBound: logBound, stretch: defaultStretch,
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// openPatience is how many times as long Open waits: when many processes start at once, each checks the whole file in
// its turn, while nobody else does anything.
const openPatience = 12

// longestBusyTimeout is the longest time that the engine can count to.
const longestBusyTimeout = math.MaxInt32 * time.Millisecond

// WithBusyTimeout sets how long every write waits for its turn before it gives up with ledger.ErrBusy. Open waits twelve
// times as long for other processes that open or write, and once as long for other programs. The default is DefaultBusyTimeout;
// so it is for a time that is not positive. What is longer than 24 days counts as 24 days.
func WithBusyTimeout(d time.Duration) Option {
	return func(o *options) {
		o.busyTimeout = DefaultBusyTimeout
		if d > 0 {
			o.busyTimeout = min(d, longestBusyTimeout)
		}
	}
}

// WithBatch sets how many of the writes that wait for their turn one transaction takes at most. They cost one sync of the
// disk together, and each has a verdict of its own. With 1 each has a transaction to itself. The default is DefaultBatch; so it
// is for a number that is not positive.
func WithBatch(writes int) Option {
	return func(o *options) {
		o.batch = DefaultBatch
		if writes > 0 {
			o.batch = writes
		}
	}
}

// WithClock sets where the store reads the time, in place of the host's clock. It must be safe for concurrent
// use; nil is the host's clock.
func WithClock(now func() time.Time) Option {
	return func(o *options) {
		if now != nil {
			o.clock = now
		}
	}
}

// WithLogger sets where a store says what an operator should know: that Open made a new ledger, which checks could not be
// made, and that Close left a damaged ledger as it is. The default, and nil, is slog.Default.
func WithLogger(l *slog.Logger) Option {
	return func(o *options) {
		if l != nil {
			o.logger = l
		}
	}
}

// MustExist has Open fail with fs.ErrNotExist where there is no ledger, and make nothing: neither a ledger nor its
// directory. It is for those who look after a ledger that servers use.
func MustExist() Option { return func(o *options) { o.mustExist = true } }

// DespiteDamage is MustExist for people who move changes: what is in the ledger is not looked at before. One change that
// is damaged must not keep them from saying no to another, which a server that runs may carry out. What is damaged is
// refused when it is read, here as everywhere, and Check tells of all of it.
func DespiteDamage() Option { return func(o *options) { o.mustExist, o.past = true, true } }

// LookOnly is DespiteDamage for who only reads: nothing is made or changed beside the ledger either but the engine's own
// files, so that a copy can be looked at without its mark, its lock and its key, and where nothing can be written. That a
// ledger is not as it was when it was closed is then for Check to tell. A ledger that a step is still to be added to is
// ErrUnsupported. The store is not to be written to.
func LookOnly() Option { return func(o *options) { o.mustExist, o.past, o.looks = true, true, true } }
