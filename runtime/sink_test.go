package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	goruntime "runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// sinkFunc is a Sink that is one function.
type sinkFunc func(context.Context, runtime.Event)

func (f sinkFunc) Record(ctx context.Context, e runtime.Event) { f(ctx, e) }

// events is a Sink that keeps what it is told.
type events struct {
	mu  sync.Mutex
	all []runtime.Event
}

func (s *events) Record(_ context.Context, e runtime.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, e)
}

// told closes the guard, which waits for the sink, and gives what it was told.
func (s *events) told(t *testing.T, w *world) []runtime.Event {
	t.Helper()
	w.closes(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all
}

func withSink(s runtime.Sink) func(*world) { return func(w *world) { w.options.Sink = s } }

func TestSinkIsToldOfEveryTransitionAndRefusal(t *testing.T) {
	t.Parallel()
	sink := &events{}
	w := newWorld(t, withSink(sink))
	a := w.applied(t, "theme", "dark")
	w.apply(t, a.ChangeID, "confirm_x")
	w.undo(t, a.ChangeID, a.UndoToken)
	w.call(t, "preview_set_setting", map[string]string{"key": "colour", "value": "dark"})

	about := runtime.Event{Server: "settings", Operation: "set_setting"}
	move := func(actor string, from, to ledger.Status) runtime.Event {
		e := about
		e.ChangeID, e.Actor, e.From, e.To = a.ChangeID, actor, from, to
		return e
	}
	no := func(tool, id string, code runtime.Code, to ledger.Status) runtime.Event {
		e := about
		e.Refusal, e.Tool, e.ChangeID, e.Code, e.To = true, tool, id, code, to
		return e
	}
	want := []runtime.Event{
		move("agent", "", ledger.Pending), move("agent", ledger.Pending, ledger.Applying), move("guard", ledger.Applying, ledger.Applied),
		no("apply_set_setting", a.ChangeID, "already_used", ledger.Applied),
		move("agent", ledger.Applied, ledger.Undoing), move("guard", ledger.Undoing, ledger.Undone),
		no("preview_set_setting", "", "invalid_payload", ""),
	}
	got := sink.told(t, w)
	for i := range got {
		if got[i].At.IsZero() {
			t.Errorf("an event without a time: %+v", got[i])
		}
		got[i].At = time.Time{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[runtime.Code]int64{"already_used": 1, "invalid_payload": 1}, w.guard.Refusals()); diff != "" {
		t.Errorf("refusals (-want +got):\n%s", diff)
	}
}

// Whoever asks about a change that is not theirs learns nothing of it, and neither does the sink.
func TestSinkIsNotToldWhatARefusedCallCouldNotKnow(t *testing.T) {
	t.Parallel()
	sink := &events{}
	w := newWorld(t, withSink(sink))
	w.call(t, "get_change_status", map[string]string{"change_id": "confirm_" + strings.Repeat("x", 40)})
	if _, err := w.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "changeset://chg_" + strings.Repeat("0", 20)}); err == nil {
		t.Error("a change that is not there was read")
	}
	got := sink.told(t, w)
	want := []runtime.Event{
		{Refusal: true, Tool: "get_change_status", Code: "unknown_change"}, {Refusal: true, Tool: "changeset://{id}", Code: "unknown_change"},
	}
	for i := range got {
		got[i].At = time.Time{}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestEventsHoldNoTokenAndNothingOfAPayload(t *testing.T) {
	t.Parallel()
	sink := &events{}
	w := newWorld(t, withSink(sink), func(w *world) {
		w.operation.Undo = func(context.Context, *setApplied) error { return fmt.Errorf("cannot set hunter2") }
	})
	a := w.applied(t, "theme", "hunter2")
	w.edit(t, "theme", "other hunter2")
	w.undo(t, a.ChangeID, a.UndoToken)
	w.edit(t, "theme", "hunter2")
	w.undo(t, a.ChangeID, a.UndoToken)
	w.call(t, "preview_set_setting", map[string]string{"key": "hunter2", "value": "hunter2"})
	text, err := json.Marshal(sink.told(t, w))
	if err != nil || !bytes.Contains(text, []byte("undo_failed")) {
		t.Fatalf("events: %s, %v", text, err)
	}
	for _, secret := range []string{"hunter2", strings.TrimPrefix(a.UndoToken, "undo_")} {
		if bytes.Contains(text, []byte(secret)) {
			t.Errorf("the events hold %q:\n%s", secret, text)
		}
	}
}

// Of an error the events say what the agent is told, and never more.
func TestEventsSayOfAnErrorWhatTheAgentIsTold(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"refusal":     {runtime.NotApplied(runtime.Refuse("the shop is shut")), "the shop is shut"},
		"other error": {runtime.NotApplied(errors.New("hunter2")), "*errors.errorString"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sink := &events{}
			w := newWorld(t, withSink(sink), func(w *world) {
				w.operation.Undo = func(context.Context, *setApplied) error { return test.err }
			})
			a := w.applied(t, "theme", "dark")
			u := w.undo(t, a.ChangeID, a.UndoToken)
			var reasons []string
			for _, e := range sink.told(t, w) {
				reasons = append(reasons, e.Reason)
			}
			said := strings.Join(reasons, " ")
			if !strings.Contains(said, test.says) || !strings.Contains(u.text, test.says) || strings.Contains(said, "hunter2") {
				t.Errorf("the events say %q, the agent is told %s", said, u.text)
			}
		})
	}
}

func TestSinkThatMisbehavesChangesNothing(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	t.Cleanup(func() { close(stuck) })
	for name, record := range map[string]func(){
		"blocks":             func() { <-stuck },
		"panics":             func() { panic("hunter2") },
		"ends its goroutine": func() { goruntime.Goexit() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, withSink(sinkFunc(func(context.Context, runtime.Event) { record() })), func(w *world) {
				w.options.ShutdownGrace = time.Millisecond // that of the sink that blocks
			})
			a := w.applied(t, "theme", "dark")
			if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
				t.Errorf("undo: %s", u.raw)
			}
			w.closes(t)
		})
	}
}

// Close gives the sink the time it needs, so that the last events of a server are not lost.
func TestCloseWaitsForTheSink(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		sink, release := &events{}, make(chan struct{})
		w := newWorld(t, withSink(sinkFunc(func(ctx context.Context, e runtime.Event) {
			<-release
			sink.Record(ctx, e)
		})))
		w.applied(t, "theme", "dark")
		closed := make(chan error, 1)
		go func() { closed <- w.guard.Close(context.Background()) }()
		close(release)
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		if got := sink.told(t, w); len(got) != 3 || got[2].To != ledger.Applied {
			t.Errorf("events: %+v", got)
		}
	})
}

// The context carries what the call did, and outlives it.
func TestSinkSeesTheValuesOfTheCall(t *testing.T) {
	t.Parallel()
	type key struct{}
	seen := make(chan any, 2)
	w := newWorld(t, withSink(sinkFunc(func(ctx context.Context, _ runtime.Event) { seen <- ctx.Value(key{}) })), func(w *world) {
		w.options.Interceptors = []runtime.Interceptor{func(ctx context.Context, _ runtime.Step, next func(context.Context) runtime.Outcome) error {
			next(context.WithValue(ctx, key{}, "trace 7"))
			return nil
		}}
	})
	w.preview(t, "theme", "dark")
	if got := <-seen; got != "trace 7" {
		t.Errorf("the sink saw %v", got)
	}
}

func TestSlogSinkWritesALineForEachEvent(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	sink := runtime.SlogSink(slog.New(slog.NewTextHandler(&out, nil)))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sink.Record(t.Context(), runtime.Event{
		At: at, Server: "notes", Operation: "delete_note", ChangeID: "chg_1", Actor: "operator", By: "ann", Channel: "changesetctl",
		From: ledger.Pending, To: ledger.Rejected, Code: "rejected", Reason: "too\nearly",
	})
	sink.Record(t.Context(), runtime.Event{At: at, Refusal: true, Tool: "apply_delete_note", Code: "unknown_change"})
	const want = `time=2026-03-01T12:00:00.000Z level=WARN msg="change rejected" change=chg_1 server=notes operation=delete_note from=pending to=rejected code=rejected actor=operator by=ann channel=changesetctl reason=too\nearly
time=2026-03-01T12:00:00.000Z level=INFO msg="call refused" tool=apply_delete_note code=unknown_change
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func ExampleSlogSink() {
	untimed := func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}
	audit := slog.New(slog.NewJSONHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: untimed})) // a file of its own, say
	options := runtime.Options{Sink: runtime.SlogSink(audit)}
	options.Sink.Record(context.Background(), runtime.Event{
		ChangeID: "chg_019cf1f8a0000000beef", Operation: "set_setting", Actor: "agent", From: ledger.Pending, To: ledger.Applying,
	})
	// Output: {"level":"INFO","msg":"change applying","change":"chg_019cf1f8a0000000beef","operation":"set_setting","from":"pending","to":"applying","actor":"agent"}
}

// counter is a sink that counts what was refused, for a metric.
type counter map[runtime.Code]int

func (c counter) Record(_ context.Context, e runtime.Event) {
	if e.Refusal {
		c[e.Code]++
	}
}

func ExampleSink() {
	refused := counter{}
	options := runtime.Options{Sink: refused}
	options.Sink.Record(context.Background(), runtime.Event{Refusal: true, Code: runtime.CodeExpired})
	options.Sink.Record(context.Background(), runtime.Event{To: ledger.Applied})
	fmt.Println(refused)
	// Output: map[expired:1]
}
