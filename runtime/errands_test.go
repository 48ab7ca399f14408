package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// bell is a sink that rings when something happened.
type bell chan struct{}

func (b bell) Record(context.Context, runtime.Event) { b.ring() }

func (b bell) ring() {
	select {
	case b <- struct{}{}:
	default: // it rings already
	}
}

// wait waits for a condition, which is looked at whenever the bell rings.
func (b bell) wait(t testing.TB, is func() bool) {
	t.Helper()
	for end := time.After(patience); !is(); {
		select {
		case <-b:
		case <-end:
			t.Fatal("it never came to that")
		}
	}
}

// listening lets a test wait for what a guard does.
func listening(w *world) { w.options.Sink = make(bell, 1) }

// polling makes a guard look for requests all the time, too.
func polling(w *world) {
	listening(w)
	w.options.RequestPoll = time.Millisecond
}

// unasked is a ledger that tells no guard of undos that operators request. The first look of a guard for those comes when it
// comes: without this it may be after the request of a test that is about what comes before.
type unasked struct{ ledger.Store }

func (u unasked) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	if q.UndoRequested {
		return nil, nil
	}
	return u.Store.List(ctx, q)
}

// notAsked has a guard carry out nothing that an operator requests.
func notAsked(w *world) { w.options.Store = unasked{w.store} }

// requestUndo is what changesetctl undo does.
func requestUndo(t testing.TB, w *world, id string) {
	t.Helper()
	if _, err := operatorOf(t, w.store).RequestUndo(t.Context(), view(t, operatorOf(t, w.store), id).Seen, "it was a mistake"); err != nil {
		t.Fatalf("request the undo of %s: %v", id, err)
	}
}

// until waits for a change to be as it should.
func (w *world) until(t testing.TB, id string, is func(*ledger.Record) bool) (r ledger.Record) {
	t.Helper()
	w.options.Sink.(bell).wait(t, func() bool {
		r = w.record(t, id)
		return is(&r)
	})
	return r
}

func isIn(s ledger.Status) func(*ledger.Record) bool {
	return func(r *ledger.Record) bool { return r.Status == s }
}

func endedRequest(r *ledger.Record) bool { return r.UndoRequest.Channel == "" }

// events are what the operator reads of a change.
func (w *world) events(t testing.TB, id string) []ledger.Event {
	t.Helper()
	events, err := w.store.Events(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// wantEvent finds the event that an actor made, with a code and a part of the reason.
func (w *world) wantEvent(t testing.TB, id, actor string, code runtime.Code, says string) {
	t.Helper()
	all := w.events(t, id)
	if !slices.ContainsFunc(all, func(e ledger.Event) bool {
		return e.Actor == actor && e.Code == string(code) && strings.Contains(e.Reason, says)
	}) {
		t.Errorf("no event of %s with %q and %q among %+v", actor, code, says, all)
	}
}

func TestOperatorsUndoIsCarriedOutByTheGuardThatServesIt(t *testing.T) {
	t.Parallel()
	for name, approval := range map[string]runtime.Approval{"by token": runtime.ByToken, "by operator": runtime.ByOperator} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, polling, func(w *world) { w.operation.UndoApproval = approval })
			a := w.applied(t, "theme", "dark")
			requestUndo(t, w, a.ChangeID)
			w.until(t, a.ChangeID, isIn(ledger.Undone))
			if w.value(t, "theme") != "light" || w.writes(t) != 2 {
				t.Errorf("theme is %s, %d bodies ran", w.value(t, "theme"), w.writes(t))
			}
			w.wantEvent(t, a.ChangeID, "operator", "", "")
			wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "already_used")
		})
	}
}

// A request that was made while no server ran is found at the next Register.
func TestOperatorsUndoIsFoundAtRegister(t *testing.T) {
	t.Parallel()
	w := newWorld(t, listening)
	a := w.applied(t, "theme", "dark")
	w.closes(t)
	requestUndo(t, w, a.ChangeID)
	w.start(t)
	w.until(t, a.ChangeID, isIn(ledger.Undone))
}

// Of two servers that find one request, one carries it out.
func TestOperatorsUndoRunsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, polling)
	newWorld(t, polling, func(o *world) {
		o.options.Store, o.options.Sink, o.target, o.operation = w.store, w.options.Sink, w.target, w.operation
	})
	for range 5 {
		a := w.applied(t, "theme", "dark")
		requestUndo(t, w, a.ChangeID)
		w.until(t, a.ChangeID, isIn(ledger.Undone))
	}
	if w.writes(t) != 10 {
		t.Errorf("%d bodies ran", w.writes(t))
	}
}

// A request that comes to nothing ends, with a reason that the operator finds, and can be made again.
func TestOperatorsUndoThatIsRefusedEnds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(w *world)
		spoil   func(t *testing.T, w *world)
		code    runtime.Code
		says    string
	}{
		"state changed": {code: runtime.CodeStateChanged, says: "ana requested", spoil: func(t *testing.T, w *world) { w.edit(t, "theme", "blue") }},
		"window over": {code: runtime.CodeExpired, says: "could be undone until", spoil: func(_ *testing.T, w *world) {
			w.clock.move(runtime.DefaultUndoTTL)
		}},
		"wrote nothing": {code: runtime.CodeRefused, says: "the shop is shut", spoil: func(_ *testing.T, w *world) {
			w.operation.Undo = func(context.Context, *setApplied) error {
				return runtime.NotApplied(runtime.Refuse("the shop is shut"))
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, listening)
			a := w.applied(t, "theme", "dark")
			requestUndo(t, w, a.ChangeID)
			w.closes(t)
			test.spoil(t, w)
			w.start(t)
			r := w.until(t, a.ChangeID, func(r *ledger.Record) bool { return endedRequest(r) && r.Status == ledger.Applied })
			if r.UndoDecision.Verdict != "" {
				t.Errorf("%+v", r.Mutable)
			}
			w.wantEvent(t, a.ChangeID, "guard", test.code, test.says)
		})
	}
}

// What passes is waited for: nothing is written, the request stays, and the log says so once.
func TestOperatorsUndoWaitsForWrites(t *testing.T) {
	t.Parallel()
	var passes atomic.Int32
	w, f := newFaultyWorld(t, polling)
	looks := make(bell, 1)
	a := w.applied(t, "theme", "dark")
	w.closes(t)
	requestUndo(t, w, a.ChangeID)
	before := w.record(t, a.ChangeID)
	f.set(func(f *faulty) {
		f.get = func(_ context.Context, read func() error) error {
			passes.Add(1)
			looks.ring()
			return read()
		}
	})
	w.options.WriteMode, w.options.WriteModeEnv = "", "CHANGESET_TEST_NEVER_SET"
	w.start(t)
	looks.wait(t, func() bool { return passes.Load() >= 5 })
	if r := w.record(t, a.ChangeID); r.Revision != before.Revision || w.writes(t) != 1 {
		t.Errorf("%+v", r.Mutable)
	}
	if n := strings.Count(w.log.String(), "has to wait"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
	w.options.WriteMode = runtime.Guarded
	w.restart(t)
	w.until(t, a.ChangeID, isIn(ledger.Undone))
}

// A look that fails, and a server that refuses the call or fails before it has begun, say nothing against the undo: it is
// tried again.
func TestOperatorsUndoWaitsForWhatGoesBy(t *testing.T) {
	t.Parallel()
	intercepted := func(answer func() error) func(*world, func() bool) {
		return func(w *world, bad func() bool) {
			w.options.Interceptors = []runtime.Interceptor{func(ctx context.Context, s runtime.Step, next func(context.Context) runtime.Outcome) error {
				if s.Kind == runtime.StepUndo && s.Caller == "" && s.Operation == "set_setting" && bad() {
					return answer()
				}
				next(ctx)
				return nil
			}}
		}
	}
	for name, test := range map[string]struct {
		spoil func(w *world, bad func() bool)
		code  runtime.Code
	}{
		"look failed": {code: runtime.CodeObserveFailed, spoil: func(w *world, bad func() bool) {
			look := w.operation.Observe
			w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
				if bad() {
					return nil, errors.New("no route")
				}
				return look(ctx, p)
			}
		}},
		"refused by an interceptor": {code: runtime.CodeRefused, spoil: intercepted(func() error { return runtime.Refuse("not in office hours") })},
		"broken interceptor":        {code: runtime.CodeInternal, spoil: intercepted(func() error { panic("hunter2") })},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, polling)
			a := w.applied(t, "theme", "dark")
			w.closes(t)
			requestUndo(t, w, a.ChangeID)
			var tries atomic.Int32
			test.spoil(w, func() bool { return tries.Add(1) <= 3 })
			w.start(t)
			w.until(t, a.ChangeID, isIn(ledger.Undone))
			if n := strings.Count(w.log.String(), "has to wait"); n != 1 || !strings.Contains(w.log.String(), "code="+string(test.code)) {
				t.Errorf("the log says it %d times", n)
			}
		})
	}
}

// What is known of a request is forgotten with it: the next one of the same change is news again.
func TestRequestThatIsOverIsForgotten(t *testing.T) {
	t.Parallel()
	w, f := newListless(t)
	a := w.applied(t, "theme", "dark")
	w.options.WriteMode, w.options.WriteModeEnv = "", "CHANGESET_TEST_NEVER_SET"
	w.restart(t)
	said := func(times int) func() bool {
		return func() bool { return strings.Count(w.log.String(), "has to wait") == times }
	}
	requestUndo(t, w, a.ChangeID)
	f.looked.wait(t, said(1))
	o := operatorOf(t, w.store)
	if _, err := o.Reject(t.Context(), shownTo(t, o, a.ChangeID, runtime.SubjectUndo), "not after all"); err != nil {
		t.Fatal(err)
	}
	seen := f.lists.Load()
	f.looked.wait(t, func() bool { return f.lists.Load() >= seen+2 }) // one of them began after the no, and is over
	requestUndo(t, w, a.ChangeID)
	f.looked.wait(t, said(2))
}

// The request of another server's change, and that of an agent who waits for a yes, are left alone.
func TestOtherRequestsAreLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, polling, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	a := w.applied(t, "theme", "dark")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
	approve(t, w, a.ChangeID, runtime.SubjectUndo)
	other := newWorld(t, func(o *world) { // it does not look for requests
		o.options.Store, o.target, o.spec.Server = w.store, w.target, "other"
		o.operation = newOperation(w.target)
	})
	b := other.applied(t, "language", "de")
	other.closes(t)
	requestUndo(t, w, b.ChangeID)
	ours := w.applied(t, "theme", "blue")
	requestUndo(t, w, ours.ChangeID) // when it is carried out, the others were passed by
	w.until(t, ours.ChangeID, isIn(ledger.Undone))
	for id, channel := range map[string]string{a.ChangeID: "agent", b.ChangeID: "changesetctl"} {
		if r := w.record(t, id); r.Status != ledger.Applied || r.UndoRequest.Channel != channel {
			t.Errorf("%s: %+v", id, r.Mutable)
		}
	}
	w.edit(t, "theme", "dark")
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Errorf("the agent's own: %s", u.raw)
	}
}

// A ledger that fails for a while is asked again, and complained of once.
func TestRequestsOfALedgerThatFails(t *testing.T) {
	t.Parallel()
	w, f := newListless(t)
	a := w.applied(t, "theme", "dark")
	f.fails.Store(true)
	requestUndo(t, w, a.ChangeID)
	f.looked.wait(t, func() bool { return f.failed.Load() >= 3 })
	f.fails.Store(false)
	w.until(t, a.ChangeID, isIn(ledger.Undone))
	if log := w.log.String(); strings.Contains(log, "stack=") {
		t.Errorf("a stack is logged of what did not panic:\n%s", log)
	}
	if n := strings.Count(w.log.String(), "did not say which undos"); n != 1 {
		t.Errorf("the log says it %d times", n)
	}
}

// listless is a ledger that lists nothing for a while.
type listless struct {
	ledger.Store
	fails  atomic.Bool
	failed atomic.Int32
	lists  atomic.Int32
	looked bell
}

func newListless(t *testing.T) (*world, *listless) {
	t.Helper()
	f := &listless{looked: make(bell, 1)}
	w := newWorld(t, polling, func(w *world) {
		f.Store = w.store
		w.options.Store = f
	})
	return w, f
}

func (l *listless) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	if q.UndoRequested && l.fails.Load() {
		l.failed.Add(1)
		l.looked.ring()
		return nil, ledger.ErrBusy
	}
	if q.UndoRequested {
		l.lists.Add(1)
		l.looked.ring()
	}
	return l.Store.List(ctx, q)
}

// Close waits until nothing looks for requests any more, so that the store can be closed.
func TestCloseEndsTheLookForRequests(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, f := newListless(t)
		f.fails.Store(true)
		f.looked.wait(t, func() bool { return f.failed.Load() > 0 })
		if err := w.guard.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		after := f.failed.Load()
		if err := w.guard.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.failed.Load() != after {
			t.Error("it looked after Close")
		}
	})
}
