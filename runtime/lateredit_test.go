package runtime_test

import (
	"testing"
)

// wantConflict expects a refusal that shows one difference, and a target and a change that are as they were.
func wantConflict(t *testing.T, w *world, r reply, was, now string) {
	t.Helper()
	wantRefused(t, r, "state_changed")
	if len(r.Changed) != 1 || string(r.Changed[0].Was) != was || string(r.Changed[0].Now) != now || r.ChangeStatus != "applied" {
		t.Errorf("%s", r.raw)
	}
}

// An undo of the older of two changes would lose the newer. It is refused, writes nothing, and works once the newer is
// taken back.
func TestUndoOfAnOlderChangeDoesNotOverwriteANewerOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.applied(t, "theme", "2")
	b := w.applied(t, "theme", "3")
	wantConflict(t, w, w.undo(t, a.ChangeID, a.UndoToken), `"2"`, `"3"`)
	if w.value(t, "theme") != "3" || w.writes(t) != 2 {
		t.Errorf("the refused undo wrote: %s after %d bodies", w.value(t, "theme"), w.writes(t))
	}
	for _, undo := range []reply{b, a} {
		if u := w.undo(t, undo.ChangeID, undo.UndoToken); u.Status != "undone" {
			t.Errorf("%s", u.raw)
		}
	}
	if w.value(t, "theme") != "light" || w.writes(t) != 4 {
		t.Errorf("%s after %d bodies", w.value(t, "theme"), w.writes(t))
	}
}

// What somebody else wrote since is not overwritten either, and the undo is good again when they take it back.
func TestUndoDoesNotOverwriteALaterEdit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.applied(t, "theme", "2")
	w.edit(t, "theme", "5")
	wantConflict(t, w, w.undo(t, a.ChangeID, a.UndoToken), `"2"`, `"5"`)
	if w.value(t, "theme") != "5" || w.writes(t) != 1 {
		t.Errorf("the refused undo wrote: %s after %d bodies", w.value(t, "theme"), w.writes(t))
	}
	w.edit(t, "theme", "2")
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Errorf("%s", u.raw)
	}
}

func TestUndoTwiceIsOneUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.applied(t, "theme", "2")
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Fatalf("%s", u.raw)
	}
	w.edit(t, "theme", "2") // as the change left it
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "already_used")
	if w.value(t, "theme") != "2" || w.writes(t) != 2 {
		t.Errorf("%s after %d bodies", w.value(t, "theme"), w.writes(t))
	}
}

// An undo is compared by what the change touched and by what is bound. What somebody else wrote beside that stays.
func TestUndoLeavesWhatTheChangeDidNotTouch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.Bind = []string{"value"} })
	a := w.applied(t, "theme", "dark")
	if _, err := w.target.Exec(`UPDATE settings SET locked = 1 WHERE key = 'theme'`); err != nil {
		t.Fatal(err)
	}
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Errorf("%s", u.raw)
	}
	var locked bool
	if err := w.target.QueryRow(`SELECT locked FROM settings WHERE key = 'theme'`).Scan(&locked); err != nil || !locked {
		t.Errorf("the undo wrote over the lock: %v, %v", locked, err)
	}
}
