package cli

import (
	"context"
	"log/slog"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

// warner is a log that tells a person of what they should know, in a line.
type warner struct{ to *screen.Screen }

// Enabled implements slog.Handler.
func (warner) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle implements slog.Handler.
func (w warner) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		text += ", " + a.Key + " " + a.Value.String()
		return true
	})
	w.to.Line("changesetctl: %v", text)
	return w.to.Err()
}

// WithAttrs implements slog.Handler. The store has none to add.
func (w warner) WithAttrs([]slog.Attr) slog.Handler { return w }

// WithGroup implements slog.Handler.
func (w warner) WithGroup(string) slog.Handler { return w }
