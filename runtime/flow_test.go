package runtime_test

import (
	"testing"
)

func TestPreviewApplyUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	if w.value(t, "theme") != "light" || w.writes(t) != 0 {
		t.Fatal("preview wrote to the target")
	}
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if a.Status != "applied" || w.value(t, "theme") != "dark" || string(a.Result) != `{"version":2}` {
		t.Fatalf("apply: %s", a.raw)
	}
	if s := w.status(t, p.ChangeID); s.Status != "applied" {
		t.Errorf("status after apply: %s", s.raw)
	}
	if again := w.apply(t, p.ChangeID, p.ConfirmationToken); again.Code != "already_used" || string(again.Result) != `{"version":2}` {
		t.Errorf("second apply: %s", again.raw)
	}
	u := w.undo(t, a.ChangeID, a.UndoToken)
	if u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Fatalf("undo: %s", u.raw)
	}
	if again := w.undo(t, a.ChangeID, a.UndoToken); again.Code != "already_used" {
		t.Errorf("second undo: %s", again.raw)
	}
	if n := w.writes(t); n != 2 {
		t.Errorf("bodies ran %d times, want 2", n)
	}
	t.Logf("%s\n---\n%s\n---\n%s\n---\n%s", p.text, a.text, u.text, w.status(t, p.ChangeID).text)
}
