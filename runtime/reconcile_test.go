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

type setDoubtful = runtime.Doubtful[*setPayload, *settingState]

// errCut is what a body says whose connection was cut.
var errCut = runtime.InDoubt(errors.New("connection reset by hunter2"))

// asAsked tells that the setting has the value that was asked for.
func asAsked(c *setChange) bool { return c.State != nil && c.State.Value == c.Payload.Value }

// cutOff makes a world whose applies end in doubt, after the write or before it, and that asks DoneWhen about them.
func cutOff(t *testing.T, writes bool, changes ...func(*world)) *world {
	t.Helper()
	return newWorld(t, append([]func(*world){func(w *world) {
		apply := w.operation.Apply
		w.operation.DoneWhen = asAsked
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			if writes {
				if _, err := apply(ctx, c); err != nil {
					return nil, err
				}
			}
			return nil, errCut
		}
	}}, changes...)...)
}

// doubted previews and applies a change that ends in doubt.
func (w *world) doubted(t *testing.T, key, value string) reply {
	t.Helper()
	p := w.preview(t, key, value)
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	return p
}

func TestApplyInDoubtThatWasDoneIsFoundApplied(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := cutOff(t, true, func(w *world) { w.operation.UndoWithoutResult = true })
		p := w.doubted(t, "theme", "dark")
		s := w.status(t, p.ChangeID)
		if s.Status != "applied" || s.InDoubt || s.ResultFlaw != "result_lost" || s.UndoExpiresAt == "" {
			t.Errorf("status: %s", s.raw)
		}
		r := w.record(t, p.ChangeID)
		if !strings.Contains(string(r.Before), "light") || !strings.Contains(string(r.After), "dark") || r.Result != nil || r.AppliedAt.IsZero() || !r.DoubtAt.IsZero() {
			t.Errorf("the record: %+v", r.Mutable)
		}
		if e := lastEvent(t, w, p.ChangeID); e.Actor != "guard" || e.Reason != "a look found done (as_asked)" {
			t.Errorf("event: %+v", e)
		}
		if w.writes(t) != 1 {
			t.Errorf("%d bodies ran", w.writes(t))
		}
	})
}

// Each call about a change in doubt looks before it answers.
func TestCallsAboutAChangeInDoubtLookFirst(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		call func(*testing.T, *world, reply) reply
		want string // the status or the code of the answer
	}{
		"status": {func(t *testing.T, w *world, p reply) reply { return w.status(t, p.ChangeID) }, "applied"},
		"apply":  {func(t *testing.T, w *world, p reply) reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }, "already_used"},
		"undo":   {func(t *testing.T, w *world, p reply) reply { return w.undo(t, p.ChangeID, "undo_x") }, "not_undoable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := cutOff(t, true)
				p := w.doubted(t, "theme", "dark")
				if r := test.call(t, w, p); r.Status != test.want && r.Code != test.want {
					t.Errorf("%s", r.raw)
				}
				if r := w.record(t, p.ChangeID); r.Status != ledger.Applied {
					t.Errorf("the change is %s", r.Status)
				}
			})
		})
	}
}

// That nothing is to be seen proves nothing, so the change stays in doubt; the operator is told, once.
func TestApplyInDoubtThatIsNotSeenStaysInDoubt(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change  func(*world)
		edit    string // what somebody else writes
		verdict runtime.Verdict
		saw     string
	}{
		"as before":             {func(*world) {}, "", runtime.NotDone, "not_done (as_before)"},
		"as somebody else left": {func(*world) {}, "blue", runtime.NotDone, "not_done (other, 1 difference)"},
		"done before": {func(w *world) {
			w.operation.DoneWhen = func(c *setChange) bool { return c.State.Version >= 1 }
		}, "", runtime.Unsure, "unknown (as_before)"},
		"nothing tells": {func(w *world) { w.operation.DoneWhen = nil }, "blue", runtime.Unsure, "unknown (other, 1 difference)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := cutOff(t, false, test.change)
			p := w.doubted(t, "theme", "dark")
			if test.edit != "" {
				w.edit(t, "theme", test.edit)
			}
			for range 2 {
				if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != test.verdict || err != nil {
					t.Errorf("verdict: %v, %v", v, err)
				}
			}
			s := w.status(t, p.ChangeID)
			if s.Status != "applying" || !s.InDoubt || !strings.Contains(s.DoubtReason, test.saw) || !strings.Contains(s.DoubtReason, "ended without an answer") {
				t.Errorf("status: %s", s.raw)
			}
			if events, _ := w.store.Events(t.Context(), p.ChangeID); len(events) != 4 {
				t.Errorf("%d events: %+v", len(events), events)
			}
			wantRefused(t, w.undo(t, p.ChangeID, "undo_x"), "in_doubt")
		})
	}
}

func TestReconcileAsksTheHookOfTheOperation(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		hook   func(*setDoubtful) (runtime.Verdict, error)
		want   runtime.Verdict
		fails  bool
		status ledger.Status
		saw    string
	}{
		"done":       {func(*setDoubtful) (runtime.Verdict, error) { return runtime.Done, nil }, runtime.Done, false, ledger.Applied, ""},
		"not done":   {func(*setDoubtful) (runtime.Verdict, error) { return runtime.NotDone, nil }, runtime.NotDone, false, ledger.Applying, "not_done (Reconcile of set_setting says so; as_before)"},
		"unsure":     {func(*setDoubtful) (runtime.Verdict, error) { return runtime.Unsure, nil }, runtime.Unsure, false, ledger.Applying, "unknown (Reconcile of set_setting says so; as_before)"},
		"an error":   {func(*setDoubtful) (runtime.Verdict, error) { return runtime.Done, errLost }, runtime.Unsure, true, ledger.Applying, "the look failed: *errors.errorString"},
		"a panic":    {func(*setDoubtful) (runtime.Verdict, error) { panic("hunter2") }, runtime.Unsure, true, ledger.Applying, "the look failed: panic (string)"},
		"no verdict": {func(*setDoubtful) (runtime.Verdict, error) { return 7, nil }, runtime.Unsure, true, ledger.Applying, "the look failed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := cutOff(t, false, func(w *world) {
				w.operation.DoneWhen = nil
				w.operation.Reconcile = func(_ context.Context, c *setDoubtful) (runtime.Verdict, error) {
					if c.Payload.Value != "dark" || c.Before.Value != "light" || c.Now.Value != "light" || !strings.HasSuffix(c.IdempotencyKey, ":apply:1") {
						return runtime.Unsure, errors.New("the hook is given something else")
					}
					return test.hook(c)
				}
			})
			p := w.doubted(t, "theme", "dark")
			v, err := w.guard.Reconcile(t.Context(), p.ChangeID)
			if v != test.want || (err != nil) != test.fails {
				t.Errorf("verdict: %v, %v", v, err)
			}
			r := w.record(t, p.ChangeID)
			if saw := r.Finding.Verdict + " (" + r.Finding.Saw + ")"; r.Status != test.status || !strings.Contains(saw, test.saw) || strings.Contains(saw, "hunter2") {
				t.Errorf("%s: %s", r.Status, saw)
			}
		})
	}
}

// Where nothing is observed the verdict is the hook's alone. What apply left cannot be looked at without its result, which is
// no look that failed.
func TestVerdictOfTheHookIsToldAsItsOwn(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		verdict runtime.Verdict
		want    string
	}{
		"done":   {runtime.Done, "a look found done (Reconcile of set_setting says so)"},
		"unsure": {runtime.Unsure, "a look found unknown (Reconcile of set_setting says so)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := cutOff(t, false, func(w *world) {
				w.operation.DoneWhen, w.operation.Observe, w.operation.Diff, w.operation.Summary = nil, nil, nil, nil
				w.operation.Apply = func(context.Context, *setChange) (*setResult, error) { return nil, errCut }
				w.operation.Reconcile = func(context.Context, *setDoubtful) (runtime.Verdict, error) { return test.verdict, nil }
				w.operation.ObserveAfter = func(context.Context, *setApplied) (*settingState, error) { return nil, runtime.ErrNoResult }
			})
			p := w.doubted(t, "theme", "dark")
			if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != test.verdict || err != nil {
				t.Errorf("verdict: %v, %v", v, err)
			}
			if e := lastEvent(t, w, p.ChangeID); e.Reason != test.want {
				t.Errorf("event: %+v", e)
			}
		})
	}
}

// An undo in doubt is looked at three ways.
func TestUndoInDoubtIsLookedAtThreeWays(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		writes bool
		edit   string
		want   runtime.Verdict
		status string
		saw    string
	}{
		"as before the change": {true, "", runtime.Done, "undone", ""},
		"as apply left it":     {false, "", runtime.NotDone, "undoing", "not_done (as_after)"},
		"neither":              {false, "blue", runtime.Unsure, "undoing", "unknown (other)"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				undo := w.operation.Undo
				w.operation.Undo = func(ctx context.Context, c *setApplied) error {
					if !test.writes {
						return errCut
					}
					return errors.Join(undo(ctx, c), errCut)
				}
			})
			a := w.applied(t, "theme", "dark")
			wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "in_doubt")
			if test.edit != "" {
				w.edit(t, "theme", test.edit)
			}
			if v, err := w.guard.Reconcile(t.Context(), a.ChangeID); v != test.want || err != nil {
				t.Errorf("verdict: %v, %v", v, err)
			}
			s := w.status(t, a.ChangeID)
			if s.Status != test.status || s.InDoubt != (test.status == "undoing") || !strings.Contains(s.DoubtReason, test.saw) {
				t.Errorf("status: %s", s.raw)
			}
			before := w.writes(t)
			w.undo(t, a.ChangeID, a.UndoToken)
			if w.writes(t) != before {
				t.Error("a second body ran")
			}
		})
	}
}

// What a change in doubt is judged by must be what it was made under.
func TestReconcileLeavesAChangeOfAnotherOperationAlone(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := cutOff(t, true)
		p := w.preview(t, "theme", "dark")
		w.apply(t, p.ChangeID, p.ConfirmationToken)
		w.operation.Digest = "sha256:other"
		w.restart(t)
		if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Unsure || err == nil || !strings.Contains(err.Error(), "behaves differently") {
			t.Errorf("verdict: %v, %v", v, err)
		}
		for range 2 { // it is written down once
			if s := w.status(t, p.ChangeID); s.Status != "applying" || !strings.Contains(s.DoubtReason, "Nothing is looked at: its operation behaves differently since") {
				t.Errorf("status: %s", s.raw)
			}
		}
		const why = "nothing is looked at: its operation behaves differently since"
		if n := len(eventsWith(t, w, p.ChangeID, why)); n != 1 {
			t.Errorf("%d events say why", n)
		}
		if log := w.log.String(); strings.Count(log, why) != 1 {
			t.Errorf("log: %s", log)
		}
	})
}

// eventsWith are the events of a change whose reason has that text.
func eventsWith(t *testing.T, w *world, id, text string) []ledger.Event {
	t.Helper()
	events, err := w.store.Events(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(events, func(e ledger.Event) bool { return !strings.Contains(e.Reason, text) })
}

func TestReconcileOfAChangeThatIsNotInDoubt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.guard.Reconcile(t.Context(), w.preview(t, "theme", "dark").ChangeID); !errors.Is(err, runtime.ErrNotInDoubt) {
		t.Errorf("pending: %v", err)
	}
	if _, err := w.guard.Reconcile(t.Context(), "chg_00000000000000000000"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("unknown: %v", err)
	}
	p := w.preview(t, "language", "de")
	w.closes(t)
	if _, err := w.guard.Reconcile(t.Context(), p.ChangeID); err == nil {
		t.Error("a closed guard looked")
	}
}

// Both guards look, and one of them settles the change.
func TestTwoGuardsThatReconcileAtOnceMakeOneOutcome(t *testing.T) {
	t.Parallel()
	var looks atomic.Int32
	both := make(chan struct{})
	hook := func(w *world) {
		w.operation.DoneWhen, w.operation.Reconcile = nil, func(context.Context, *setDoubtful) (runtime.Verdict, error) {
			if looks.Add(1) == 2 {
				close(both)
			}
			<-both
			return runtime.Done, nil
		}
	}
	w := cutOff(t, true, hook)
	p := w.doubted(t, "theme", "dark")
	other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation })
	verdicts := make(chan error, 2)
	for _, guard := range []*runtime.Guard{w.guard, other.guard} {
		go func() {
			v, err := guard.Reconcile(context.Background(), p.ChangeID)
			if v != runtime.Done {
				err = errors.Join(err, errors.New(v.String()))
			}
			verdicts <- err
		}()
	}
	for range 2 {
		if err := <-verdicts; err != nil {
			t.Error(err)
		}
	}
	events, err := w.store.Events(t.Context(), p.ChangeID)
	if r := w.record(t, p.ChangeID); err != nil || r.Status != ledger.Applied || len(events) != 4 {
		t.Errorf("%s after %d events, %v", r.Status, len(events), err)
	}
}

// A look that a body overtakes, an operator, or another claim: what is settled stays, whatever the look says.
func TestLookThatIsOvertakenChangesNothing(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(*ledger.Record){
		"an operator settled it": func(r *ledger.Record) { r.Status, r.Outcome = ledger.ApplyFailed, "unknown" },
		"another claim":          func(r *ledger.Record) { r.ClaimID = "another claim" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var id string
			var w *world
			w = cutOff(t, true, func(o *world) {
				o.operation.DoneWhen, o.operation.Reconcile = nil, func(ctx context.Context, c *setDoubtful) (runtime.Verdict, error) {
					r, _, err := w.store.Get(ctx, c.ChangeID)
					if err == nil {
						from := r.Status
						meanwhile(&r)
						err = w.store.Swap(ctx, r, time.Time{}, ledger.Event{Actor: "operator", From: from, To: r.Status})
					}
					return runtime.Done, err
				}
			})
			id = w.doubted(t, "theme", "dark").ChangeID
			if v, err := w.guard.Reconcile(t.Context(), id); v != runtime.Done || err != nil {
				t.Errorf("verdict: %v, %v", v, err)
			}
			events, err := w.store.Events(t.Context(), id)
			if r := w.record(t, id); err != nil || r.Status == ledger.Applied || len(events) != 4 {
				t.Errorf("%s after %d events, %v", r.Status, len(events), err)
			}
		})
	}
}

// A look settles nothing that a body may still write to: what it returns does, whoever looks before that.
func TestLookDoesNotRunAheadOfABodyThatRunsOn(t *testing.T) {
	t.Parallel()
	for name, last := range map[string]error{"success": nil, "proof": runtime.NotApplied(errors.New("refused")), "doubt": errCut} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wrote, release := make(chan struct{}), make(chan struct{})
			w := newWorld(t, listening, func(w *world) {
				w.operation.Timeout, w.operation.DoneWhen, w.operation.UndoWithoutResult = shortTimeout, asAsked, true
				apply := w.operation.Apply
				w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
					result, err := apply(context.WithoutCancel(ctx), c)
					close(wrote)
					<-release
					if err == nil {
						err = last
					}
					return result, err
				}
			})
			other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation })
			p := w.doubted(t, "theme", "dark")
			wait(t, wrote, "the write")
			for _, guard := range []*runtime.Guard{w.guard, other.guard} {
				if v, err := guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Done || err != nil {
					t.Fatalf("verdict: %v, %v", v, err)
				}
			}
			if again := w.apply(t, p.ChangeID, p.ConfirmationToken); again.Code != "in_doubt" || again.UndoToken != "" {
				t.Errorf("while the body is there: %s", again.raw)
			}
			close(release)
			want := isIn(ledger.Applied)
			switch {
			case errors.Is(last, runtime.ErrNotApplied):
				want = isIn(ledger.ApplyFailed)
			case last != nil: // nobody knows, until somebody looks
				want = func(r *ledger.Record) bool { return !strings.Contains(r.DoubtReason, "still running") }
			}
			w.until(t, p.ChangeID, want)
			if last == errCut {
				if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Done || err != nil {
					t.Errorf("verdict: %v, %v", v, err)
				}
				w.until(t, p.ChangeID, isIn(ledger.Applied))
			}
		})
	}
}

// Nobody was told the result of an apply that was found done. An undo that can do without it runs, with a token that a
// repeated apply hands out.
func TestApplyThatWasFoundDoneCanBeUndone(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]bool{"without the result": true, "needs the result": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := cutOff(t, true, func(w *world) {
					w.operation.UndoWithoutResult = without
					undo := w.operation.Undo
					w.operation.Undo = func(ctx context.Context, c *setApplied) error {
						if c.Result != nil || c.Before.Value != "light" || c.After.Value != "dark" {
							return runtime.NotApplied(errors.New("the undo is given something else"))
						}
						return undo(ctx, c)
					}
				})
				p := w.doubted(t, "theme", "dark")
				again := w.apply(t, p.ChangeID, p.ConfirmationToken)
				wantRefused(t, again, "already_used")
				if again.ResultFlaw != "result_lost" || (again.UndoToken != "") != without {
					t.Errorf("%s", again.raw)
				}
				if !without {
					wantRefused(t, w.undo(t, p.ChangeID, "undo_x"), "not_undoable")
				} else if u := w.undo(t, p.ChangeID, again.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
					t.Errorf("%s", u.raw)
				}
			})
		})
	}
}

// An undo that can do without the result runs where the result could not be kept.
func TestUndoWithoutAResultThatWasNotKept(t *testing.T) {
	t.Parallel()
	for _, without := range []bool{true, false} {
		w := newWorld(t, func(w *world) { w.options.MaxResultBytes, w.operation.UndoWithoutResult = 5, without })
		a := w.applied(t, "theme", "dark")
		if a.ResultFlaw != "result_omitted" || (a.UndoToken != "") != without {
			t.Fatalf("%s", a.raw)
		}
		if !without {
			wantRefused(t, w.undo(t, a.ChangeID, "undo_x"), "not_undoable")
		} else if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
			t.Errorf("%s", u.raw)
		}
	}
}

func TestHooksForDoubtsThatDoNotFitTogetherAreRefused(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*setOperation){
		"both DoneWhen and Reconcile": func(o *setOperation) {
			o.DoneWhen = asAsked
			o.Reconcile = func(context.Context, *setDoubtful) (runtime.Verdict, error) { return runtime.Unsure, nil }
		},
		"a DoneWhen and no Observe": func(o *setOperation) { o.DoneWhen, o.Observe = asAsked, nil },
	} {
		w := newWorld(t)
		o := newOperation(w.target)
		o.Name = "other"
		change(o)
		spec := settings
		spec.Schemas = []byte(strings.ReplaceAll(schemaFile, "set_setting.", "other."))
		if err := w.guard.Register(w.server, spec, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// What somebody edited in a ledger is no longer what the change was about, and is not looked at.
func TestReconcileDoesNotTrustAnEditedRecord(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(*ledger.Record){
		"payload": func(r *ledger.Record) { r.Payload = []byte(`{"key":"language","value":"en"}`) },
		"expiry":  func(r *ledger.Record) { r.ExpiresAt = time.Time{} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := &altered{}
			w := cutOff(t, true, func(w *world) {
				a.Store = w.store
				w.options.Store = a
			})
			p := w.doubted(t, "theme", "dark")
			a.alter = alter
			if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Unsure || !errors.Is(err, ledger.ErrCorrupt) {
				t.Errorf("verdict: %v, %v", v, err)
			}
			if r := w.record(t, p.ChangeID); r.Status != ledger.Applying {
				t.Errorf("the change is %s", r.Status)
			}
		})
	}
}

// What a look saw after an apply that failed without proof is for the operator, who decides.
func TestFailedApplyThatIsAsAskedSaysSo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.DoneWhen = asAsked
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			_, err := apply(ctx, c)
			return nil, errors.Join(err, errors.New("cut off while reading the answer"))
		}
	})
	p := w.preview(t, "theme", "dark")
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "apply_failed")
	r := w.record(t, p.ChangeID)
	if e := lastEvent(t, w, p.ChangeID); e.Reason != "a fresh look: as_asked" || r.Outcome != "unknown" || !strings.Contains(string(r.After), "dark") {
		t.Errorf("%+v\n%+v", e, r.Mutable)
	}
}

// Nobody looks at what is settled.
func TestReconcileOfASettledChangeTellsThatItIsNotInDoubt(t *testing.T) {
	t.Parallel()
	w := cutOff(t, true)
	p := w.doubted(t, "theme", "dark")
	for _, want := range []error{nil, runtime.ErrNotInDoubt} {
		if _, err := w.guard.Reconcile(t.Context(), p.ChangeID); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}

// What apply makes of a thing may be out of sight of the look that was before it.
func TestDoneWhenJudgesWhatTheLookAfterApplyFinds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		writes  bool
		verdict runtime.Verdict
		status  ledger.Status
	}{"done": {true, runtime.Done, ledger.Applied}, "not done": {false, runtime.NotDone, ledger.Applying}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := cutOff(t, test.writes, func(w *world) {
				byKey := w.operation.Observe
				w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
					state, err := byKey(ctx, p)
					if err != nil || state.Value != "light" {
						return nil, err
					}
					return state, nil
				}
				w.operation.ObserveAfter = func(ctx context.Context, c *setApplied) (*settingState, error) {
					return byKey(ctx, c.Payload)
				}
			})
			p := w.doubted(t, "theme", "dark")
			if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != test.verdict || err != nil {
				t.Errorf("verdict: %v, %v", v, err)
			}
			r := w.record(t, p.ChangeID)
			if r.Status != test.status || test.writes && !strings.Contains(string(r.After), "dark") {
				t.Errorf("the change is %s, after it %s", r.Status, r.After)
			}
		})
	}
}
