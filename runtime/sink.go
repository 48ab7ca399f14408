package runtime

import (
	"context"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Sink is told of what becomes of changes, as an audit trail or a metric needs it: every transition that its guard
// makes, and every call that it refuses. Events come one at a time, in the order they were made.
//
// A sink has no say. It is called from a goroutine of its own, after the transition is in the ledger. While it is slow,
// events wait for it up to a bound, and are dropped and counted beyond. A panic of a sink is logged. What must not be
// lost is in the ledger.
type Sink interface {
	// Record takes one event. The context carries the values of the call that the event comes from, as for a trace,
	// and does not end with it.
	Record(ctx context.Context, e Event)
}

// Event is one transition of a change, or one refused call. It holds no token, nothing that is sensitive, and of a
// payload, a state and a result no more than the names of fields. Of what an author's code says when it fails it holds
// what an agent is told: the text of a Refuse, and of any other error its type.
type Event struct {
	At        time.Time // by the ledger's clock, as this process knows it
	Server    string    // Spec.Server; "" where a refused call was about no operation that is known
	Operation string    // as Server
	ChangeID  string    // "" where a refused call was about no change that is known

	// Refusal tells a refused call from a transition. Nothing has moved by it: To is where its change stands, and Code
	// says why it was refused.
	Refusal bool
	Tool    string // that was refused, or the kind of resource

	Actor   string // who made the transition: agent, guard or operator
	By      string // the person who decided, as their channel knows them; "" unless Actor is operator
	Channel string // where they decided; "" as By
	From    ledger.Status
	To      ledger.Status
	Code    Code
	Reason  string // of a transition, for operators: what a person said, why something failed, or names of fields
}

// SlogSink is a Sink that writes a line for each event: transitions that tell of a failure or a doubt, or that end a change
// before it is applied, as warnings, everything else as information. It is the Options.Sink by default, over Options.Logger.
func SlogSink(logger *slog.Logger) Sink { return slogSink{logger} }

type slogSink struct{ logger *slog.Logger }

// Record implements Sink. The line has the time of the event, which may be a while ago.
func (s slogSink) Record(ctx context.Context, e Event) {
	level := slog.LevelInfo
	if !e.Refusal && !e.isCalm() {
		level = slog.LevelWarn
	}
	handler := s.logger.Handler()
	if !handler.Enabled(ctx, level) {
		return
	}
	line := slog.NewRecord(e.At, level, e.says(), 0)
	for _, a := range e.attrs() {
		if text := a.Value.String(); text != "" {
			line.AddAttrs(slog.String(a.Key, visible.Text(text)))
		}
	}
	_ = handler.Handle(ctx, line) // a line that a log does not take is that log's to tell
}

func (e Event) attrs() []slog.Attr {
	return []slog.Attr{
		slog.String("tool", e.Tool), slog.String("change", e.ChangeID), slog.String("server", e.Server),
		slog.String("operation", e.Operation), slog.String("from", string(e.From)), slog.String("to", string(e.To)),
		slog.String("code", string(e.Code)), slog.String("actor", e.Actor), slog.String("by", e.By),
		slog.String("channel", e.Channel), slog.String("reason", e.Reason),
	}
}
