package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What was promised of the undo is part of what was agreed to: where an upgrade changed the undo alone, nothing is applied
// that could not be taken back as it was said.
func TestApplyIsRefusedWhereItsUndoIsAnother(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*world)
		want   string
	}{
		"with an undo":    {func(*world) {}, "operation_changed"},
		"without an undo": {func(w *world) { w.operation.Undo = nil }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			p := w.request(t, "r1", "theme", "dark")
			w.operation.UndoDigest = "sha256:other"
			w.restart(t)
			if test.want == "" {
				if r := w.apply(t, p.ChangeID, p.ConfirmationToken); r.Status != "applied" {
					t.Errorf("%s", r.raw)
				}
				return
			}
			wantRefused(t, w.request(t, "r1", "theme", "dark"), test.want)
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), test.want)
			if w.writes(t) != 0 || w.record(t, p.ChangeID).Status != ledger.Pending {
				t.Errorf("%d bodies ran, and the change is %s", w.writes(t), w.record(t, p.ChangeID).Status)
			}
		})
	}
}

// An apply that a look finds done under another undo is applied, and nobody is told that it can be taken back.
func TestLookPromisesNoUndoThatIsAnother(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w := cutOff(t, true, func(w *world) { w.operation.UndoWithoutResult = true })
		p := w.preview(t, "theme", "dark")
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
		w.operation.UndoDigest = "sha256:other"
		w.restart(t)
		s := w.status(t, p.ChangeID)
		if r := w.record(t, p.ChangeID); s.Status != "applied" || r.UndoToken != nil || s.UndoExpiresAt != "" {
			t.Errorf("%s, undo token %x", s.raw, r.UndoToken)
		}
		wantRefused(t, w.undo(t, p.ChangeID, "undo_x"), "not_undoable")
	})
}
