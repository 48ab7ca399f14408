package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// An author's error is kept for as long as its change is, and shown with it: a huge one is cut, and says so.
func TestHugeErrorIsKeptCutInTheMiddle(t *testing.T) {
	t.Parallel()
	const most = 100 << 10
	for name, wrap := range map[string]func(error) error{
		"proof": runtime.NotApplied, "doubt": runtime.InDoubt, "conflict": func(err error) error { return runtime.Conflict("%w", err) },
		"neither": func(err error) error { return err },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, listening, func(w *world) {
				w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
					return nil, wrap(runtime.Refuse("begins %s ends", strings.Repeat("é\n", 1<<20)))
				}
			})
			p := w.preview(t, "theme", "dark")
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			r := w.until(t, p.ChangeID, func(r *ledger.Record) bool { // a busy machine may answer before it is recorded
				return r.Status == ledger.ApplyFailed || !r.DoubtAt.IsZero()
			})
			kept := r.Message + r.DoubtReason
			if len(kept) > most || len(r.Error) > most || !strings.Contains(kept, "begins") || !strings.Contains(kept, " ends") || !strings.Contains(kept, "left out") {
				t.Errorf("%s: %d bytes of a message and %d of an error are kept: %.100q", a.Code, len(kept), len(r.Error), kept)
			}
			events, err := w.store.Events(t.Context(), p.ChangeID)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range events {
				if len(e.Reason) > most {
					t.Errorf("%d bytes of a reason", len(e.Reason))
				}
			}
		})
	}
}

// The count of what is left out is that of the text, however often its change moves on.
func TestErrorThatIsCutKeepsTheCountOfWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.Undo = func(context.Context, *setApplied) error {
			return runtime.NotApplied(runtime.Refuse("%s", strings.Repeat("é", 1<<16)))
		}
	})
	a := w.applied(t, "theme", "dark")
	w.undo(t, a.ChangeID, a.UndoToken)
	before := w.record(t, a.ChangeID).Error
	w.closes(t) // it would carry out what is requested
	requestUndo(t, w, a.ChangeID)
	if after := w.record(t, a.ChangeID).Error; after != before || !strings.Contains(after, "left out") {
		t.Errorf("%d bytes of an error became %d", len(before), len(after))
	}
}
