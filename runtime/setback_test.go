package runtime_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// setBack is how far the clocks of these tests are set back: further than any preview lives.
const setBack = 2 * time.Hour

// Whoever may have a token anew may not have one that lives longer.
func TestNoNewTokenRevivesWhatExpiredWhenTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.ApprovalWhen = func(c *setChange) bool { return c.Payload.Value == "de" } }, byOperator,
		func(w *world) { w.operation.UndoApproval = runtime.ByToken })
	waiting := w.request(t, "r1", "language", "de")
	approve(t, w, waiting.ChangeID, runtime.SubjectApply)
	theme := w.preview(t, "theme", "dark")
	a := w.apply(t, theme.ChangeID, theme.ConfirmationToken)
	w.clock.move(runtime.DefaultUndoTTL)
	w.preview(t, "theme", "blue") // something is committed since
	w.clock.move(-runtime.DefaultUndoTTL - setBack)
	w.restart(t)
	wantRefused(t, w.apply(t, waiting.ChangeID, waiting.ConfirmationToken), "expired")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "expired")
	if again := w.apply(t, theme.ChangeID, theme.ConfirmationToken); again.UndoToken != "" {
		t.Errorf("a new token: %s", again.raw)
	}
	if again := w.request(t, "r1", "language", "de"); again.Status != "expired" || again.ConfirmationToken != "" {
		t.Errorf("the request: %s", again.raw)
	}
	if w.value(t, "theme") != "dark" || w.writes(t) != 1 {
		t.Errorf("%d bodies ran", w.writes(t))
	}
}

// A clock that is set a day ahead closes all that waited, and applies nothing.
func TestClockSetForwardADayExpiresWhatWaited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	token, approved, waiting := w.preview(t, "theme", "dark"), w.preview(t, "theme", "blue"), w.preview(t, "language", "de")
	approve(t, w, token.ChangeID, runtime.SubjectApply)
	approve(t, w, approved.ChangeID, runtime.SubjectApply)
	w.clock.move(24 * time.Hour)
	for _, p := range []reply{token, approved, waiting} {
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "expired")
		if r := w.record(t, p.ChangeID); r.Status != ledger.Expired {
			t.Errorf("recorded as %s", r.Status)
		}
	}
	if w.writes(t) != 0 {
		t.Errorf("%d bodies ran", w.writes(t))
	}
	w.clock.move(-24 * time.Hour) // set right
	w.restart(t)
	for _, p := range []reply{token, approved, waiting} {
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "expired")
	}
}
