package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// While a person looks at the target, the apply ends after all, and an undo is begun that is in doubt too. What they say
// of the apply must not be taken for the undo.
func TestVerdictIsAboutTheClaimThatWasShown(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w := newWorld(t, listening, func(w *world) {
		w.operation.Timeout = shortTimeout
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			<-release
			return &setResult{Version: 2}, nil
		}
		w.operation.Undo = func(context.Context, *setApplied) error { return runtime.InDoubt(errors.New("connection lost")) }
	})
	p := w.preview(t, "theme", "dark")
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	o := operatorOf(t, w.store)
	seen := view(t, o, p.ChangeID)
	if seen.Claim == "" || !seen.InDoubt {
		t.Fatalf("%+v", seen)
	}
	close(release)
	w.until(t, p.ChangeID, isIn(ledger.Applied))
	undoToken := w.apply(t, p.ChangeID, p.ConfirmationToken).UndoToken
	w.undo(t, p.ChangeID, undoToken)
	doubted := w.until(t, p.ChangeID, func(r *ledger.Record) bool { // of a body that has returned: what is doubted before moves on
		return r.Status == ledger.Undoing && !r.DoubtAt.IsZero() && !strings.Contains(r.DoubtReason, "still running")
	})
	for _, verdict := range []runtime.Verdict{runtime.Done, runtime.NotDone} {
		for _, claim := range []string{seen.Claim, ""} {
			stale := view(t, o, p.ChangeID).Seen
			stale.Claim = claim
			if _, err := o.Reconcile(t.Context(), stale, verdict, "the row is there"); !errors.Is(err, runtime.ErrMoved) {
				t.Errorf("%s on %q: %v", verdict, claim, err)
			}
		}
	}
	if r := w.record(t, p.ChangeID); r.Revision != doubted.Revision {
		t.Errorf("%+v", r.Mutable)
	}
	again := view(t, o, p.ChangeID)
	if v, err := o.Reconcile(t.Context(), again.Seen, runtime.NotDone, "the row is there"); err != nil || v.Status != ledger.UndoFailed {
		t.Errorf("%v: %s", err, v.Status)
	}
}
