package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// WriteMode says whether applies and undos run.
type WriteMode string

// Guarded lets guarded writes run. Any other mode keeps them off.
const Guarded WriteMode = "guarded"

// writesOff is the mode of an environment that says so, rather than nothing.
const writesOff WriteMode = "off"

// Defaults and bounds of Options.
const (
	DefaultTTL             = 15 * time.Minute
	MinTTL                 = time.Minute
	MaxTTL                 = time.Hour
	DefaultUndoTTL         = 24 * time.Hour
	DefaultTimeout         = 30 * time.Second
	DefaultShutdownGrace   = 10 * time.Second
	DefaultMaxClockSkew    = time.Minute
	DefaultMaxPayloadBytes = 64 << 10
	DefaultMaxResultBytes  = 64 << 10
	DefaultWriteModeEnv    = "CHANGESET_WRITE_MODE"
	DefaultApprovalTTL     = 24 * time.Hour
	MaxApprovalTTL         = 7 * 24 * time.Hour
	DefaultRejectionMemory = 24 * time.Hour
	DefaultMaxPending      = 100
	DefaultMaxPendingAll   = 10_000
	DefaultRequestPoll     = 2 * time.Second
)

// Options configure a Guard. Zero fields have the default named beside them.
type Options struct {
	// Store is the ledger. Required. Whoever opened it closes it, after Guard.Close has returned nil.
	Store ledger.Store

	// WriteMode switches writes on when it is Guarded; they are also on when the environment variable WriteModeEnv
	// (DefaultWriteModeEnv) is "guarded" at NewGuard. Previews work either way. Of a value that is neither that nor "off"
	// or empty, Logger is warned.
	WriteMode    WriteMode
	WriteModeEnv string

	TTL     time.Duration // of a preview; DefaultTTL, from MinTTL to MaxTTL
	UndoTTL time.Duration // of an undo token; DefaultUndoTTL or the shorter MaxUndoTTL, at least MinTTL, or Never
	Timeout time.Duration // of a body, and of each look; DefaultTimeout

	ApprovalTTL     time.Duration // how long a change waits for a person; DefaultApprovalTTL, from MinTTL to MaxApprovalTTL
	MaxUndoTTL      time.Duration // longest UndoTTL of the guard and of any operation, which then cannot be Never; 0: none
	RejectionMemory time.Duration // how long a person's no raises the approval of the same change; DefaultRejectionMemory
	// RequestPoll is how often the ledger is asked for undos that an operator wants; DefaultRequestPoll. A fifth as often it is
	// asked for joined claims that nobody carries out any more.
	RequestPoll time.Duration

	ShutdownGrace time.Duration // how long Close waits for bodies; DefaultShutdownGrace
	MaxClockSkew  time.Duration // how far the ledger's clock may run behind before previews and claims are refused; DefaultMaxClockSkew

	MaxPayloadBytes int // of payload, summary and diff together; DefaultMaxPayloadBytes
	MaxResultBytes  int // of a result, which is left out of the record beyond; DefaultMaxResultBytes
	MaxPending      int // unexpired previews of one scope and caller at one server; DefaultMaxPending
	MaxPendingAll   int // unexpired previews in the ledger; DefaultMaxPendingAll

	// HideWhenDisabled leaves the tools that write unregistered where writes are off.
	HideWhenDisabled bool

	// Scope names whom a call acts for: a tenant, an account, a workspace. A change answers only to the scope it was
	// made in. Nil means that there is one scope.
	Scope func(ctx context.Context) string

	// Logger is told of failures, for operators, and never of a token. slog.Default.
	Logger *slog.Logger

	// Sink is told of every transition that the guard makes, and of every call that it refuses. SlogSink over Logger.
	Sink Sink

	// Interceptors stand around every preview, apply and undo, the first outermost.
	Interceptors []Interceptor
}

// filled returns o with its defaults, or an error that names the field that is wrong.
func (o Options) filled() (Options, error) {
	if o.Store == nil {
		return o, errors.New("the field Options.Store is missing: open a ledger, with sqlite.Open for example")
	}
	if o.WriteMode != "" && o.WriteMode != Guarded {
		return o, fmt.Errorf("the field Options.WriteMode is %q: give %q, or leave it empty", o.WriteMode, Guarded)
	}
	o.WriteModeEnv = cmp.Or(o.WriteModeEnv, DefaultWriteModeEnv)
	o.TTL = cmp.Or(o.TTL, DefaultTTL)
	o.UndoTTL = cmp.Or(o.UndoTTL, o.defaultUndoTTL())
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	o.ShutdownGrace = cmp.Or(o.ShutdownGrace, DefaultShutdownGrace)
	o.MaxClockSkew = cmp.Or(o.MaxClockSkew, DefaultMaxClockSkew)
	o.MaxPayloadBytes = cmp.Or(o.MaxPayloadBytes, DefaultMaxPayloadBytes)
	o.MaxResultBytes = cmp.Or(o.MaxResultBytes, DefaultMaxResultBytes)
	o.ApprovalTTL = cmp.Or(o.ApprovalTTL, DefaultApprovalTTL)
	o.RejectionMemory = cmp.Or(o.RejectionMemory, DefaultRejectionMemory)
	o.RequestPoll = cmp.Or(o.RequestPoll, DefaultRequestPoll)
	o.MaxPending = cmp.Or(o.MaxPending, DefaultMaxPending)
	o.MaxPendingAll = cmp.Or(o.MaxPendingAll, DefaultMaxPendingAll)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.Sink == nil {
		o.Sink = SlogSink(o.Logger)
	}
	return o, o.check()
}

// writesOn needs the defaults filled in. It also gives what the environment says, if that is nothing that is known, and
// would count.
func (o Options) writesOn() (on bool, unknown string) {
	if o.WriteMode == Guarded {
		return true, ""
	}
	switch mode := WriteMode(os.Getenv(o.WriteModeEnv)); mode {
	case Guarded:
		return true, ""
	case "", writesOff:
		return false, ""
	default:
		return false, string(mode)
	}
}

// defaultUndoTTL keeps within MaxUndoTTL.
func (o Options) defaultUndoTTL() time.Duration {
	if o.MaxUndoTTL > 0 {
		return min(DefaultUndoTTL, o.MaxUndoTTL)
	}
	return DefaultUndoTTL
}

// check needs the defaults filled in.
func (o Options) check() error {
	if err := o.checkLives(); err != nil {
		return err
	}
	if err := checkInterceptors(o.Interceptors); err != nil {
		return err
	}
	for _, d := range []struct {
		name string
		is   time.Duration
	}{
		{"Timeout", o.Timeout}, {"RejectionMemory", o.RejectionMemory}, {"RequestPoll", o.RequestPoll},
		{"ShutdownGrace", o.ShutdownGrace}, {"MaxClockSkew", o.MaxClockSkew},
	} {
		if d.is < 0 {
			return fmt.Errorf("the field Options.%s is %s: give a positive duration, or 0 for the default", d.name, d.is)
		}
	}
	for _, n := range []struct {
		name string
		is   int
	}{
		{"MaxPayloadBytes", o.MaxPayloadBytes}, {"MaxResultBytes", o.MaxResultBytes},
		{"MaxPending", o.MaxPending}, {"MaxPendingAll", o.MaxPendingAll},
	} {
		if n.is < 0 {
			return fmt.Errorf("the field Options.%s is %d: give a positive number, or 0 for the default", n.name, n.is)
		}
	}
	return nil
}

// checkLives is about how long previews, waits and undo tokens may last.
func (o Options) checkLives() error {
	if err := checkTTL("the field Options.TTL", o.TTL); err != nil {
		return err
	}
	if o.ApprovalTTL < MinTTL || o.ApprovalTTL > MaxApprovalTTL {
		return fmt.Errorf("the field Options.ApprovalTTL is %s: give %s to %s, or 0 for the default", o.ApprovalTTL, MinTTL, MaxApprovalTTL)
	}
	if o.MaxUndoTTL != 0 && o.MaxUndoTTL < MinTTL {
		return fmt.Errorf("the field Options.MaxUndoTTL is %s: give at least %s, or 0 for no bound", o.MaxUndoTTL, MinTTL)
	}
	return o.checkUndoTTL("the field Options.UndoTTL", o.UndoTTL)
}

func checkTTL(field string, ttl time.Duration) error {
	if ttl < MinTTL || ttl > MaxTTL {
		return fmt.Errorf("%s is %s: give %s to %s, or 0 for the default", field, ttl, MinTTL, MaxTTL)
	}
	return nil
}

func checkUndoTTL(field string, ttl time.Duration) error {
	if ttl != Never && ttl < MinTTL {
		return fmt.Errorf("%s is %s: give at least %s, Never, or 0 for the default", field, ttl, MinTTL)
	}
	return nil
}

// checkUndoTTL also keeps to MaxUndoTTL, beyond which an undo token is too dangerous to lie about.
func (o Options) checkUndoTTL(field string, ttl time.Duration) error {
	switch {
	case o.MaxUndoTTL == 0:
	case ttl == Never:
		return fmt.Errorf("%s is Never: Options.MaxUndoTTL allows %s at most", field, o.MaxUndoTTL)
	case ttl > o.MaxUndoTTL:
		return fmt.Errorf("%s is %s: Options.MaxUndoTTL allows %s at most", field, ttl, o.MaxUndoTTL)
	}
	return checkUndoTTL(field, ttl)
}
