package postgres

import (
	"bytes"
	"log/slog"
	"time"
)

// What is used where no option says otherwise.
const (
	DefaultSchema      = "changesetgen"
	DefaultBusyTimeout = 5 * time.Second
)

// Option changes how Open opens a ledger.
type Option func(*options)

type options struct {
	schema      string
	busyTimeout time.Duration
	answers     time.Duration // how long they are waited for after that
	logger      *slog.Logger
	key         key // nil: none was given
	mustExist   bool
	looks       bool
	forgets     bool             // a server that does not sync is taken
	clock       func() time.Time // nil: the clock of the database, read in each statement
	lease       lease
	steps       []step // that the program knows
}

func newOptions(opts []Option) options {
	o := options{
		schema: DefaultSchema, busyTimeout: DefaultBusyTimeout, answers: answerPatience, logger: slog.Default(),
		lease: leaseOf(DefaultLease), steps: steps,
	}
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// WithSchema names the schema of the database that the ledger is in, which has nothing else in it. The default, and "", is
// DefaultSchema. Several ledgers can be in one database.
func WithSchema(name string) Option {
	return func(o *options) {
		o.schema = DefaultSchema
		if name != "" {
			o.schema = name
		}
	}
}

// WithBusyTimeout sets how long a call waits for a connection, for a server that does not answer yet, and for locks of
// others, before it gives up with nothing written. The default is DefaultBusyTimeout; so it is for a time that is not positive.
func WithBusyTimeout(d time.Duration) Option {
	return func(o *options) {
		o.busyTimeout = DefaultBusyTimeout
		if d > 0 {
			o.busyTimeout = d
		}
	}
}

// WithLogger sets where a store says what an operator should know: that Open made or extended a ledger, and what of the
// server's configuration lets it forget writes. The default, and nil, is slog.Default.
func WithLogger(l *slog.Logger) Option {
	return func(o *options) {
		if l != nil {
			o.logger = l
		}
	}
}

// WithSensitiveKey gives the key of the hashes of what must not be guessed: at least 32 random bytes, the same for every
// program that shares the ledger, and kept where the database and its backups are not. The ledger keeps a fingerprint of the
// first that it is opened with, and is ErrUnsupported to who comes with another. Without it SensitiveKey is ErrUnsupported.
func WithSensitiveKey(k []byte) Option { return func(o *options) { o.key = bytes.Clone(k) } }

// MustExist has Open fail with fs.ErrNotExist where there is no ledger, and make none.
func MustExist() Option { return func(o *options) { o.mustExist = true } }

// LookOnly is MustExist for who only reads. It writes nothing, and works for a role that may only SELECT, and on a standby.
// A ledger that a step is still to be added to is ErrUnsupported. The store is not to be written to, and a holder whose
// lease is over without anybody having said so is Unknown to it.
func LookOnly() Option { return func(o *options) { o.mustExist, o.looks = true, true } }

// DespiteNoSync takes a server that does not sync what it writes (fsync = off), which Open otherwise refuses: after a power
// loss such a one may have forgotten claims that were carried out. It is for tests.
func DespiteNoSync() Option { return func(o *options) { o.forgets = true } }

// WithClock sets where the store reads the time, in place of the clock of the database. It must be safe for concurrent use;
// nil is the clock of the database. Holds take no notice of it. It is for tests: programs that share a ledger by clocks of
// their own do not agree on when something expires.
func WithClock(now func() time.Time) Option {
	return func(o *options) { o.clock = now }
}
