package runtime_test

import (
	"strings"
	"testing"
)

// What is gone as a whole is told by its bound fields, and not in one piece.
func TestStateThatIsGoneIsToldByItsFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stale, a := w.preview(t, "theme", "blue"), w.applied(t, "theme", "dark")
	if _, err := w.target.Exec(`DELETE FROM settings WHERE key = 'theme'`); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		r     reply
		value string
	}{{w.undo(t, a.ChangeID, a.UndoToken), "dark"}, {w.apply(t, stale.ChangeID, stale.ConfirmationToken), "light"}} {
		wantRefused(t, test.r, "state_changed")
		for _, want := range []string{"It was there, and now it is not.", `value: was "` + test.value + `", now (none)`, `locked: was false, now (none)`} {
			if !strings.Contains(test.r.text, want) {
				t.Errorf("%q is not said: %s", want, test.r.text)
			}
		}
		if strings.Contains(test.r.text, "whole state") || len(test.r.Changed) == 0 || test.r.Changed[0].Now != nil {
			t.Errorf("%s", test.r.text)
		}
	}
}
