package runtime

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// log never lets a handler of the program's logger change what happens to a change, nor a text from elsewhere what a
// reader of the log sees. A stack comes last, and only what panicked has one.
func (g *Guard) log(ctx context.Context, level slog.Level, message string, attrs ...any) {
	defer func() { _ = recover() }()
	if last := len(attrs) - 1; last > 0 && attrs[last-1] == "stack" && attrs[last] == "" {
		attrs = attrs[:last-1]
	}
	for i := range attrs {
		attrs[i] = loggable(attrs[i], i > 0 && attrs[i-1] == "stack")
	}
	g.opts.Logger.Log(context.WithoutCancel(ctx), level, message, attrs...)
}

// loggable is a value of a log line with everything made visible.
func loggable(v any, lines bool) any {
	shown := visible.Text
	if lines {
		shown = visible.Lines
	}
	switch v := v.(type) {
	case string:
		return shown(v)
	case error:
		return shown(inOneLine(v.Error()))
	}
	return v
}

// inOneLine is a text whose lines follow each other: errors that are several have one for each.
func inOneLine(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch before := b.String(); {
		case line == "" || before == "":
		case strings.HasSuffix(before, ":"):
			b.WriteString(" ")
		default:
			b.WriteString("; ")
		}
		b.WriteString(line)
	}
	return b.String()
}

// logPanic keeps where a body panicked, which the record has no place for.
func (g *Guard) logPanic(ctx context.Context, r *ledger.Record, err error) {
	if stack := stackOf(err); stack != "" {
		g.log(ctx, slog.LevelError, "a body panicked", "change", r.ID, "error", err, "stack", stack)
	}
}

// stackOf is where a hook panicked; "" if it did not.
func stackOf(err error) string {
	var p *attempt.Panic
	if errors.As(err, &p) {
		return string(p.Stack)
	}
	return ""
}
