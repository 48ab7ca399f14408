package runtime

import (
	"context"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// WriteMode says whether applies and undos run.
type WriteMode string

// Guarded lets guarded writes run. Any other mode keeps them off.
const Guarded WriteMode = "guarded"

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
)

// Options configure a Guard. Zero fields have the default named beside them.
type Options struct {
	// Store is the ledger. Required. Whoever opened it closes it, after Guard.Close has returned nil.
	Store ledger.Store

	// WriteMode switches writes on when it is Guarded; they are also on when the environment variable WriteModeEnv
	// (DefaultWriteModeEnv) is "guarded" at NewGuard. Previews work either way.
	WriteMode    WriteMode
	WriteModeEnv string

	TTL     time.Duration // of a preview; DefaultTTL, from MinTTL to MaxTTL
	UndoTTL time.Duration // of an undo token; DefaultUndoTTL, at least MinTTL, or Never
	Timeout time.Duration // of a body, and of each look; DefaultTimeout

	ShutdownGrace time.Duration // how long Close waits for bodies; DefaultShutdownGrace
	MaxClockSkew  time.Duration // how far the ledger's clock may run behind before claims are refused; DefaultMaxClockSkew

	MaxPayloadBytes int // of payload, summary and diff together; DefaultMaxPayloadBytes
	MaxResultBytes  int // of a result, which is left out of the record beyond; DefaultMaxResultBytes

	// Scope names whom a call acts for: a tenant, an account, a workspace. A change answers only to the scope it was
	// made in. Nil means that there is one scope.
	Scope func(ctx context.Context) string

	// Logger is told of every transition, refusal and failure, never of a token. slog.Default.
	Logger *slog.Logger
}
