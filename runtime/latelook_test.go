package runtime_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// unlooked makes the first look after an apply fail, and calls each at the ones that follow, with its number from one.
func unlooked(each func(n int32)) func(*world) {
	return func(w *world) {
		var looks atomic.Int32
		observe := w.operation.Observe
		w.operation.ObserveAfter = func(ctx context.Context, c *setApplied) (*settingState, error) {
			n := looks.Add(1)
			if n == 1 {
				return nil, errors.New("no route")
			}
			s, err := observe(ctx, c.Payload)
			each(n - 1)
			return s, err
		}
	}
}

func nothing(int32) {}

// An operator who agrees to an undo knows what it writes over: what the looks before and after the apply found, and not
// only what the preview promised. Their word is on that.
func TestOperatorIsShownWhatAnUndoWouldWriteOver(t *testing.T) {
	t.Parallel()
	for name, approval := range map[string]runtime.Approval{"as an agent asks": runtime.ByOperator, "of their own": runtime.ByToken} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, polling, unlooked(nothing), func(w *world) { w.operation.UndoApproval = approval })
			a, o := w.applied(t, "theme", "dark"), operatorOf(t, w.store)
			w.edit(t, "theme", "blue")
			before := view(t, o, a.ChangeID)
			if !before.Unlooked || before.Left != nil {
				t.Errorf("before anybody looked: %+v", before)
			}
			wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "not_undoable")
			w.wantEvent(t, a.ChangeID, "guard", "looked", "value")
			if approval == runtime.ByOperator {
				wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
			}
			v := view(t, o, a.ChangeID)
			if v.Unlooked || !slices.Contains(v.LeftLines, `value: "light" -> "blue"`) || string(v.Left[0].After) != `"blue"` {
				t.Errorf("%q, %+v", v.LeftLines, v.Left)
			}
			if _, err := o.RequestUndo(t.Context(), before.Seen, ""); !errors.Is(err, runtime.ErrMoved) {
				t.Errorf("a word on what was not shown: %v", err)
			}
			if _, err := o.RequestUndo(t.Context(), v.Seen, ""); err != nil {
				t.Fatal(err)
			}
			w.until(t, a.ChangeID, isIn(ledger.Undone))
		})
	}
}

// A request of an operator for an undo of what nobody looked at yet undoes nothing: it looks, and says that it did.
func TestOperatorsUndoOfWhatNobodyLookedAtLooksFirst(t *testing.T) {
	t.Parallel()
	w := newWorld(t, polling, unlooked(nothing))
	a := w.applied(t, "theme", "dark")
	w.edit(t, "theme", "blue")
	requestUndo(t, w, a.ChangeID)
	w.until(t, a.ChangeID, endedRequest)
	if v := view(t, operatorOf(t, w.store), a.ChangeID); w.value(t, "theme") != "blue" || len(v.LeftLines) == 0 {
		t.Errorf("theme is %s, %+v", w.value(t, "theme"), v)
	}
	w.wantEvent(t, a.ChangeID, "guard", "looked", "shown with the change now")
}

// A yes to the undo of what nobody looked at is none to what a look finds. Here one guard looks, for an agent, and another
// one carries requests out.
func TestYesToWhatNobodyLookedAtIsOverWithTheLook(t *testing.T) {
	t.Parallel()
	w, l := newWorld(t, notAsked, unlooked(nothing)), &listless{}
	a := w.applied(t, "theme", "dark")
	w.edit(t, "theme", "blue")
	requestUndo(t, w, a.ChangeID)
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "not_undoable")
	w.beside(t, polling, counting(l))
	passes(t, l)
	r := w.record(t, a.ChangeID)
	if r.Status != ledger.Applied || !endedRequest(&r) || r.UndoDecision.Verdict != "" || w.value(t, "theme") != "blue" {
		t.Errorf("theme is %s, %+v", w.value(t, "theme"), r.Mutable)
	}
}

// Of two late looks one is kept, and both callers are told that one.
func TestTwoLateLooksTellTheStateThatIsKept(t *testing.T) {
	t.Parallel()
	seen, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, unlooked(func(n int32) {
		if n == 1 {
			close(seen)
			<-release
		}
	}))
	a, other := w.applied(t, "theme", "dark"), w.connect(t)
	slow := make(chan reply, 1)
	go func() {
		slow <- other.call(t, "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
	}()
	<-seen
	w.edit(t, "theme", "pink")
	fast := w.undo(t, a.ChangeID, a.UndoToken)
	close(release)
	for _, r := range []reply{fast, <-slow} {
		wantRefused(t, r, "not_undoable")
		if len(r.Changed) != 1 || string(r.Changed[0].Now) != `"pink"` {
			t.Errorf("%s", r.raw)
		}
	}
}

// What somebody writes between the body and the look after it is not what apply left, where DoneWhen tells. The caller is
// told, and no undo writes over it before a person has seen it.
func TestEditBeforeTheLookAfterApplyIsNotTakenForWhatApplyLeft(t *testing.T) {
	t.Parallel()
	var w *world
	w = newWorld(t, func(o *world) {
		o.operation.DoneWhen = asAsked
		apply := o.operation.Apply
		o.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			result, err := apply(ctx, c)
			w.edit(t, "theme", "blue")
			return result, err
		}
	})
	a := w.applied(t, "theme", "dark")
	if !strings.Contains(a.NextStep, "somebody may have written since") {
		t.Errorf("the caller is told %q", a.NextStep)
	}
	w.wantEvent(t, a.ChangeID, "guard", "", "did not find what it was to make")
	if v := view(t, operatorOf(t, w.store), a.ChangeID); !v.Unlooked {
		t.Errorf("operators see %+v", v)
	}
	u := w.undo(t, a.ChangeID, a.UndoToken)
	wantRefused(t, u, "not_undoable")
	if len(u.Changed) != 1 || string(u.Changed[0].Now) != `"blue"` || w.value(t, "theme") != "blue" {
		t.Errorf("theme is %s: %s", w.value(t, "theme"), u.raw)
	}
}
