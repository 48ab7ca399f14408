package runtime_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// claims counts how often the undo of a change was claimed.
func (w *world) claims(t testing.TB, id string) (n int) {
	t.Helper()
	for _, e := range w.events(t, id) {
		if e.From == ledger.Applied && e.To == ledger.Undoing {
			n++
		}
	}
	return n
}

// passes waits until the guard has looked for requests again, at least once from beginning to end.
func passes(t testing.TB, l *listless) {
	t.Helper()
	from := l.lists.Load()
	l.looked.wait(t, func() bool { return l.lists.Load() >= from+4 })
}

// counting lets a test wait for the looks for requests.
func counting(l *listless) func(*world) {
	return func(w *world) {
		l.Store, l.looked = w.store, make(bell, 1)
		w.options.Store = l
	}
}

// The body wrote nothing, which leaves the change applied. The request was for one try.
func TestOneRequestMakesOneClaim(t *testing.T) {
	t.Parallel()
	for name, late := range map[string]bool{"in time": false, "late": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var bodies atomic.Int32
			release := make(chan struct{})
			l := &listless{}
			w := newWorld(t, polling, counting(l), func(w *world) {
				w.operation.Undo = func(context.Context, *setApplied) error {
					bodies.Add(1)
					<-release
					return runtime.NotApplied(runtime.Refuse("the table is locked"))
				}
			})
			id := w.applied(t, "theme", "dark").ChangeID
			if late {
				w.operation.Timeout = shortTimeout
				w.restart(t)
			}
			requestUndo(t, w, id)
			w.until(t, id, func(r *ledger.Record) bool { return r.Status == ledger.Undoing && late != r.DoubtAt.IsZero() })
			close(release)
			r := w.until(t, id, isIn(ledger.Applied))
			passes(t, l)
			if !endedRequest(&r) || r.UndoDecision.Verdict != "" || bodies.Load() != 1 || w.claims(t, id) != 1 {
				t.Errorf("%d bodies, %d claims, %+v", bodies.Load(), w.claims(t, id), r.Mutable)
			}
			w.wantEvent(t, id, "operator", "", "ana requested")
			w.wantEvent(t, id, "guard", runtime.CodeRefused, "the table is locked")
		})
	}
}

// others are servers that cannot carry out the undo of a change that was applied.
var others = map[string]func(*world){
	"another undo": func(w *world) { w.operation.UndoDigest = "sha256:newer" },
	"not there":    func(w *world) { w.operation.Name = "put_setting"; w.spec.Schemas = otherNames(w.spec.Schemas) },
}

// otherNames are the schemas of an operation that is called otherwise.
func otherNames(schemas []byte) []byte {
	return bytes.ReplaceAll(schemas, []byte("set_setting."), []byte("put_setting."))
}

// A server of another version leaves a request to the one that can carry it out.
func TestRequestIsLeftToTheServerThatCanCarryItOut(t *testing.T) {
	t.Parallel()
	for name, change := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &listless{}
			w := newWorld(t, polling, counting(l))
			id := w.applied(t, "theme", "dark").ChangeID
			w.closes(t)
			requestUndo(t, w, id)
			before := w.record(t, id)
			other := w.beside(t, polling, counting(l), func(o *world) {
				o.operation = newOperation(w.target)
				o.options.Store = l
				o.options.Interceptors = []runtime.Interceptor{func(context.Context, runtime.Step, func(context.Context) runtime.Outcome) error {
					return errors.New("asked about a change of another version")
				}}
				change(o)
			})
			passes(t, l)
			if r := w.record(t, id); r.Revision != before.Revision {
				t.Errorf("%+v", r.Mutable)
			}
			if n := strings.Count(other.log.String(), "has to wait"); n != 1 {
				t.Errorf("the log says it %d times", n)
			}
			w.start(t)
			w.until(t, id, isIn(ledger.Undone))
		})
	}
}

// Nobody can carry out what is over: any server ends it.
func TestRequestThatIsOverEndsWithAnyServer(t *testing.T) {
	t.Parallel()
	for name, change := range others {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, listening)
			id := w.applied(t, "theme", "dark").ChangeID
			w.closes(t)
			requestUndo(t, w, id)
			w.clock.move(runtime.DefaultUndoTTL)
			change(w)
			w.start(t)
			w.until(t, id, endedRequest)
			w.wantEvent(t, id, "guard", runtime.CodeExpired, "could be undone until")
		})
	}
}

// An undo that hangs delays no other.
func TestUndosThatOperatorsRequestRunSideBySide(t *testing.T) {
	t.Parallel()
	hanging, release := make(chan struct{}), make(chan struct{})
	var bodies atomic.Int32
	w := newWorld(t, polling, func(w *world) {
		undo := w.operation.Undo
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			if c.Payload.Key == "theme" {
				bodies.Add(1)
				close(hanging)
				<-release
			}
			return undo(ctx, c)
		}
	})
	slow, quick := w.applied(t, "theme", "dark").ChangeID, w.applied(t, "language", "fr").ChangeID
	requestUndo(t, w, slow)
	wait(t, hanging, "the undo that hangs")
	requestUndo(t, w, quick)
	w.until(t, quick, isIn(ledger.Undone))
	close(release)
	w.until(t, slow, isIn(ledger.Undone))
	if bodies.Load() != 1 {
		t.Errorf("%d bodies", bodies.Load())
	}
}

// Closing begins no undo, and waits for the one that runs.
func TestCloseWaitsForTheUndoOfAnOperator(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		running, release := make(chan struct{}), make(chan struct{})
		w := newWorld(t, polling, func(w *world) {
			undo := w.operation.Undo
			w.operation.Undo = func(ctx context.Context, c *setApplied) error {
				close(running)
				<-release
				return undo(ctx, c)
			}
		})
		id, other := w.applied(t, "theme", "dark").ChangeID, w.applied(t, "language", "fr").ChangeID
		requestUndo(t, w, id)
		wait(t, running, "the undo")
		closed := make(chan error, 1)
		go func() { closed <- w.guard.Close(context.Background()) }()
		for w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"}).Code != "shutting_down" {
			t.Log("not closing yet")
		}
		requestUndo(t, w, other)
		close(release)
		if err := <-closed; err != nil {
			t.Fatal(err)
		}
		if r, o := w.record(t, id), w.record(t, other); r.Status != ledger.Undone || o.Status != ledger.Applied || endedRequest(&o) {
			t.Errorf("%s; %s, %+v", r.Status, o.Status, o.UndoRequest)
		}
	})
}
