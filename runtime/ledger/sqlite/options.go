package sqlite

import (
	"log/slog"
	"time"
)

// DefaultBusyTimeout is how long a write waits for its turn when no other time is set.
const DefaultBusyTimeout = 5 * time.Second

// Option changes how Open opens a ledger.
type Option func(*options)

type options struct {
	busyTimeout time.Duration
	clock       func() time.Time
	logger      *slog.Logger
}

func newOptions(opts []Option) options {
	o := options{busyTimeout: DefaultBusyTimeout, clock: time.Now, logger: slog.Default()}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithBusyTimeout sets how long Open and every write wait for their turn before they give up with ledger.ErrBusy.
// The default is DefaultBusyTimeout; so it is for a time that is not positive.
func WithBusyTimeout(d time.Duration) Option {
	return func(o *options) {
		o.busyTimeout = DefaultBusyTimeout
		if d > 0 {
			o.busyTimeout = d
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

// WithLogger sets where Open says, once, which checks it could not make on this system. The default, and nil, is
// slog.Default.
func WithLogger(l *slog.Logger) Option {
	return func(o *options) {
		if l != nil {
			o.logger = l
		}
	}
}
