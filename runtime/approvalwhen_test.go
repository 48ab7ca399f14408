package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
)

// The author's condition is asked for those alone whom the change is for: nobody can have it run by guessing an id, nor
// over a change that is over.
func TestConditionIsAskedForNobodyElse(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	scope := "a"
	w := newWorld(t, byOperator, func(w *world) {
		w.options.Scope = func(context.Context) string { return scope }
		w.operation.ApprovalWhen = func(*setChange) bool {
			asked.Add(1)
			return false
		}
	})
	p := w.preview(t, "theme", "dark")
	asked.Store(0)
	wantRefused(t, w.apply(t, p.ChangeID, "confirm_wrong"), "invalid_token")
	scope = "b"
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "unknown_change")
	if n := asked.Load(); n != 0 {
		t.Errorf("without the token, or for another: it was asked %d times", n)
	}
	scope = "a"
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if a.Status != "applied" || asked.Load() != 1 {
		t.Fatalf("%s, asked %d times", a.raw, asked.Load())
	}
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "already_used")
	wantRefused(t, w.undo(t, p.ChangeID, "undo_wrong"), "invalid_token")
	if n := asked.Load(); n != 1 {
		t.Errorf("when it was applied: it was asked %d times", n)
	}
}
