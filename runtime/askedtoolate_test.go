package runtime_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Between the look that finds that an undo needs a yes and the record of the request, the token may have been replaced, or
// a person may have said no. The request is not recorded then.
func TestUndoIsNotRequestedByWhatIsOver(t *testing.T) {
	t.Parallel()
	for code, change := range map[string]func(*ledger.Record){
		"invalid_token": func(r *ledger.Record) { r.UndoToken = []byte("the hash of another") },
		"rejected": func(r *ledger.Record) {
			r.UndoDecision = ledger.Decision{Verdict: ledger.Refused, At: time.Now(), By: "ana", Channel: "changesetctl", Reason: "it is to stay"}
		},
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
			a := w.applied(t, "theme", "dark")
			f.set(func(f *faulty) {
				f.get = func(_ context.Context, read func() error) error {
					f.set(func(f *faulty) { f.get = nil })
					err := read()
					r := w.record(t, a.ChangeID)
					change(&r)
					event := ledger.Event{Actor: "operator", From: r.Status, To: r.Status}
					return errors.Join(err, w.store.Swap(context.Background(), r, time.Time{}, event))
				}
			})
			wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), code)
			if r := w.record(t, a.ChangeID); r.UndoRequest.Channel != "" {
				t.Errorf("an undo is requested: %+v", r.UndoRequest)
			}
		})
	}
}
