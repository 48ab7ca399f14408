package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// beside starts a second server over the ledger and the target of w, in the state that a test needs it.
func (w *world) beside(t testing.TB, changes ...func(*world)) *world {
	t.Helper()
	return newWorld(t, append([]func(*world){func(o *world) {
		o.options.Store, o.store, o.target, o.operation, o.clock = w.store, w.store, w.target, w.operation, w.clock
	}}, changes...)...)
}

// A guard knows the time from its start on, although nobody called it since.
func TestNewGuardKeepsTheClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	w.clock.move(runtime.DefaultTTL)
	idle := w.beside(t)
	w.clock.move(-setBack)
	wantRefused(t, idle.apply(t, p.ChangeID, p.ConfirmationToken), "expired")
}

// The poll of a guard sees the ledger's clock, which may have run ahead of this process: the machine slept.
func TestPollKeepsTheClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := &listless{}
	idle := w.beside(t, polling, counting(l))
	a := w.applied(t, "theme", "dark")
	w.clock.move(runtime.DefaultUndoTTL)
	passes(t, l)
	w.clock.move(-setBack)
	wantRefused(t, idle.undo(t, a.ChangeID, a.UndoToken), "expired")
}

// Whoever was told that the time to undo is over is right for good: after a restart, and with every other server.
func TestUndoThatIsOverIsWrittenDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	idle := w.beside(t)
	a := w.applied(t, "theme", "dark")
	w.clock.move(runtime.DefaultUndoTTL)
	for range 2 {
		wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "expired")
	}
	w.wantEvent(t, a.ChangeID, "guard", runtime.CodeExpired, "could be undone until")
	written := len(w.events(t, a.ChangeID))
	w.clock.move(-setBack)
	wantRefused(t, idle.undo(t, a.ChangeID, a.UndoToken), "expired")
	w.restart(t)
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "expired")
	if _, err := operatorOf(t, w.store).RequestUndo(t.Context(), view(t, operatorOf(t, w.store), a.ChangeID).Seen, ""); err == nil {
		t.Error("an operator could request the undo")
	}
	r := w.record(t, a.ChangeID)
	if r.Status != ledger.Applied || len(w.events(t, a.ChangeID)) != written || w.writes(t) != 1 {
		t.Errorf("%s, %d events, %d bodies", r.Status, len(w.events(t, a.ChangeID)), w.writes(t))
	}
}
