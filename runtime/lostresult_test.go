package runtime_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A person's word brings no result back, so nobody is offered an undo that cannot do without it.
func TestUndoThatNeedsTheResultIsNotOfferedAfterAPersonsWord(t *testing.T) {
	t.Parallel()
	for name, without := range map[string]bool{"without the result": true, "needs the result": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, doubtful, func(w *world) { w.operation.UndoWithoutResult = without })
			p := w.doubted(t, "theme", "dark")
			o := operatorOf(t, w.store)
			v, err := settle(t.Context(), o, p.ChangeID, runtime.Done, "the row says so")
			if err != nil || v.Status != ledger.Applied {
				t.Fatalf("%s, %v", v.Status, err)
			}
			if v.Undoable != without || v.UndoExpiresAt.IsZero() == without || (v.ResultFlaw == "result_lost") == without {
				t.Errorf("undoable %v until %s, flaw %q", v.Undoable, v.UndoExpiresAt, v.ResultFlaw)
			}
			if _, err = o.Rehearse().RequestUndo(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectNone), ""); errors.Is(err, runtime.ErrNotUndoable) == without {
				t.Errorf("an operator who requests the undo is told: %v", err)
			}
			s, again := w.status(t, p.ChangeID), w.apply(t, p.ChangeID, p.ConfirmationToken)
			if wantRefused(t, again, "already_used"); (again.UndoToken != "") != without {
				t.Errorf("undo token %q", again.UndoToken)
			}
			for _, r := range []reply{s, again} {
				if strings.Contains(string(r.raw), "cannot be undone") == without {
					t.Errorf("the agent is told: %s", r.raw)
				}
			}
		})
	}
}

// After a person's word nobody knows what the apply left: the first undo looks, says so, and the next one runs.
func TestFirstUndoAfterAPersonsWordOnlyLooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, doubtful, func(w *world) { w.operation.UndoWithoutResult = true })
	p := w.doubted(t, "theme", "dark")
	if _, err := settle(t.Context(), operatorOf(t, w.store), p.ChangeID, runtime.Done, "the row says so"); err != nil {
		t.Fatal(err)
	}
	token := w.apply(t, p.ChangeID, p.ConfirmationToken).UndoToken
	first := w.undo(t, p.ChangeID, token)
	wantRefused(t, first, "not_undoable")
	if !strings.HasPrefix(first.Message, "What the change left was not known") || !strings.Contains(first.Hint, "call undo again with the same token") {
		t.Errorf("%s", first.raw)
	}
	if second := w.undo(t, p.ChangeID, token); second.Status != "undone" {
		t.Errorf("%s", second.raw)
	}
}
