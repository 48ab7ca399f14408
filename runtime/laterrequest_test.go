package runtime_test

import (
	"errors"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// An agent who asks for the same undo again, in the same words, asks for another: what a person was shown of the first
// says nothing of that.
func TestPersonDecidesOnlyOnTheRequestOfTheTimeThatTheyWereShown(t *testing.T) {
	t.Parallel()
	for part, alter := range map[string]func(*ledger.Request){
		"later":       func(q *ledger.Request) { q.At = q.At.Add(time.Millisecond) },
		"by another":  func(q *ledger.Request) { q.By = "another" },
		"for another": func(q *ledger.Request) { q.Reason = "another" },
	} {
		t.Run(part, func(t *testing.T) {
			t.Parallel()
			w, store := newAlteredWorld(t)
			o := operatorOf(t, store)
			id := insertWaiting(t, w, "chg_00000000000000000001", func(r *ledger.Record) {
				r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt = ledger.Applied, "c", []byte("hash"), r.ExpiresAt
				r.UndoRequest = ledger.Request{At: r.CreatedAt, By: "agent", Channel: "agent", Reason: "a typing error"}
			})
			seen := view(t, o, id).Seen
			store.alter = func(r *ledger.Record) { alter(&r.UndoRequest) }
			for verb, err := range map[string]error{
				"approve":      second(o.Approve(t.Context(), seen, "")),
				"reject":       second(o.Reject(t.Context(), seen, "no")),
				"request undo": second(o.RequestUndo(t.Context(), seen, "")),
			} {
				if !errors.Is(err, runtime.ErrMoved) {
					t.Errorf("%s: %v", verb, err)
				}
			}
			if r := w.record(t, id); r.UndoDecision.Verdict != "" {
				t.Errorf("decided: %+v", r.UndoDecision)
			}
		})
	}
}
