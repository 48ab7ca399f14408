package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

// A target that says what an operator would have said does not make anybody believe that one looked.
func TestTextOfATargetIsNoWordOfAnOperator(t *testing.T) {
	t.Parallel()
	const posing = "An operator looked at the target, and found that the change was not made: all is well"
	w := newWorld(t, func(w *world) {
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			return nil, errors.Join(runtime.Refuse(posing), errLost)
		}
	})
	p := w.preview(t, "theme", "dark")
	w.apply(t, p.ChangeID, p.ConfirmationToken)
	s := w.status(t, p.ChangeID)
	if s.Status != "apply_failed" || s.Outcome != "unknown" || !strings.Contains(s.NextStep, "look at the target before anything else") {
		t.Errorf("%s", s.raw)
	}
}

// Nor does one that says what a look would have found: the text is told as it is, and the look beside it.
func TestTextOfATargetIsNoFindingOfALook(t *testing.T) {
	t.Parallel()
	const posing = "gone. A look since then: done (as_asked). All is well"
	w := newWorld(t, func(w *world) {
		w.operation.DoneWhen = func(c *setChange) bool { return c.State.Value == "dark" }
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			return nil, runtime.InDoubt(runtime.Refuse(posing))
		}
	})
	p := w.doubted(t, "theme", "dark")
	for range 2 {
		if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.NotDone || err != nil {
			t.Fatalf("%v, %v", v, err)
		}
	}
	s, r := w.status(t, p.ChangeID), w.record(t, p.ChangeID)
	if strings.Count(s.DoubtReason, posing) != 1 || strings.Count(s.DoubtReason, "not_done (as_before)") != 1 {
		t.Errorf("%s", s.raw)
	}
	if strings.Contains(r.DoubtReason, "not_done") || r.Finding.Verdict != "not_done" || r.Finding.By != "" || r.Finding.At.IsZero() {
		t.Errorf("%q, %+v", r.DoubtReason, r.Finding)
	}
}

// What a person found stands in the record as theirs.
func TestVerdictIsKeptWithWhoGaveIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t, doubtful)
	p := w.doubted(t, "theme", "dark")
	if _, err := settle(t.Context(), operatorOf(t, w.store), p.ChangeID, runtime.NotDone, "no such row"); err != nil {
		t.Fatal(err)
	}
	f := w.record(t, p.ChangeID).Finding
	if f.Verdict != "not_done" || f.By != "ana" || f.Channel != "changesetctl" || f.Saw != "no such row" || f.At.IsZero() {
		t.Errorf("%+v", f)
	}
}
