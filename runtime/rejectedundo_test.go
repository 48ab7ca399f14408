package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// rejectUndo asks for the undo of a change as an operator, and says no to it.
func rejectUndo(t testing.TB, w *world, id, reason string) {
	t.Helper()
	requestUndo(t, w, id)
	if _, err := operatorOf(t, w.store).Reject(t.Context(), shownTo(t, operatorOf(t, w.store), id, runtime.SubjectUndo), reason); err != nil {
		t.Fatalf("reject the undo of %s: %v", id, err)
	}
}

// A person's no to an undo binds the holder of the token, also where the undo needs no yes.
func TestRejectedUndoBindsWhoeverHasTheToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notAsked)
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	rejectUndo(t, w, a.ChangeID, "leave it dark")
	for _, token := range []string{a.UndoToken, "undo_wrong"} {
		r := w.undo(t, a.ChangeID, token)
		wantRefused(t, r, "rejected")
		wantSaid(t, r, "leave it dark", "")
	}
	s := w.status(t, a.ChangeID)
	if s.Status != "applied" || s.UndoDecision == "" || w.writes(t) != 1 {
		t.Errorf("%s", s.raw)
	}
	wantSaid(t, s, "A person rejected its undo (leave it dark)", "It can be undone")
	again := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if again.Code != "already_used" || again.UndoToken != "" {
		t.Errorf("a repeated apply offers the undo: %s", again.raw)
	}
	wantSaid(t, again, "A person rejected its undo", "It can be undone")
	w.clock.move(runtime.DefaultUndoTTL)
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "rejected")
	wantSaid(t, w.status(t, a.ChangeID), "If it has to be taken back, preview a new change that does that", "To take it back")
}

// An operator who asks for the undo after a no has changed their mind.
func TestOperatorsRequestOverrulesTheirNoToAnUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, listening, notAsked)
	a := w.applied(t, "theme", "dark")
	rejectUndo(t, w, a.ChangeID, "leave it dark")
	requestUndo(t, w, a.ChangeID)
	w.options.Store = w.store
	w.restart(t) // it looks for what was requested
	w.until(t, a.ChangeID, isIn(ledger.Undone))
	if w.value(t, "theme") != "light" {
		t.Errorf("theme is %s", w.value(t, "theme"))
	}
}
