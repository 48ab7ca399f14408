package runtime_test

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// An agent is told why it was refused, so a no without a reason is none: of an apply, of an undo, in whatever looks empty.
func TestRejectionNeedsAReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	o := operatorOf(t, w.store)
	pending, applied := w.preview(t, "theme", "dark"), w.applied(t, "language", "de")
	wantRefused(t, w.undo(t, applied.ChangeID, applied.UndoToken), "awaiting_approval")
	for id, subject := range map[string]runtime.Subject{pending.ChangeID: runtime.SubjectApply, applied.ChangeID: runtime.SubjectUndo} {
		before, events := w.record(t, id), len(w.events(t, id))
		for _, reason := range []string{"", " ", "\n\t", "\u00a0\u2003"} {
			for name, who := range map[string]*runtime.Operator{"said": o, "rehearsed": o.Rehearse()} {
				if _, err := who.Reject(t.Context(), shownTo(t, o, id, subject), reason); !errors.Is(err, runtime.ErrReason) {
					t.Errorf("%s, %s for the reason %q: %v", subject, name, reason, err)
				}
			}
		}
		if r := w.record(t, id); r.Revision != before.Revision || len(w.events(t, id)) != events {
			t.Errorf("%s: written down: %+v", subject, r.Mutable)
		}
		if _, err := o.Reject(t.Context(), shownTo(t, o, id, subject), "not on a Friday"); err != nil {
			t.Errorf("%s, with a reason: %v", subject, err)
		}
	}
	if r := w.record(t, pending.ChangeID); r.Status != ledger.Rejected || r.Message != "not on a Friday" {
		t.Errorf("%+v", r.Mutable)
	}
}
