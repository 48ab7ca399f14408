package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// log never lets a handler of the program's logger change what happens to a change.
func (g *Guard) log(ctx context.Context, level slog.Level, message string, attrs ...any) {
	defer func() { _ = recover() }()
	g.opts.Logger.Log(context.WithoutCancel(ctx), level, message, attrs...)
}

// logMove tells the operator of one transition.
func (g *Guard) logMove(ctx context.Context, r *ledger.Record, e ledger.Event) {
	level := slog.LevelInfo
	if e.Code != "" {
		level = slog.LevelWarn
	}
	g.log(ctx, level, "change "+string(r.Status), "change", r.ID, "operation", r.Operation,
		"from", e.From, "to", e.To, "code", e.Code, "reason", e.Reason, "error", r.Error)
}

// logPanic keeps where a body panicked, which the record has no place for.
func (g *Guard) logPanic(ctx context.Context, r *ledger.Record, err error) {
	if stack := stackOf(err); stack != "" {
		g.log(ctx, slog.LevelError, "a body panicked", "change", r.ID, "error", err, "stack", stack)
	}
}

// stackOf is where a hook panicked; "" if it did not.
func stackOf(err error) string {
	var p *panicked
	if errors.As(err, &p) {
		return string(p.stack)
	}
	return ""
}
