package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Between the first check of an undo and its claim there is a look. When the yes is used up in that time, by an undo that came to
// nothing, another is asked for: whoever is told to wait for a person is told of a request that the person can see.
func TestUndoWhoseYesIsUsedUpBeforeItsClaimAsksForAnother(t *testing.T) {
	t.Parallel()
	var w *world
	var id atomic.Value
	w = newWorld(t, func(w *world) {
		w.operation.UndoApproval = runtime.ByOperator
		observe := w.operation.Observe
		w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
			if id, ok := id.Load().(string); ok && w.record(t, id).UndoDecision.Verdict != "" {
				w.useUpYes(t, id)
			}
			return observe(ctx, p)
		}
	})
	a := w.applied(t, "theme", "dark")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
	approve(t, w, a.ChangeID, runtime.SubjectUndo)
	id.Store(a.ChangeID)
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
	r := w.record(t, a.ChangeID)
	if r.UndoRequest.Channel != "agent" || r.UndoDecision.Verdict != "" || w.writes(t) != 1 {
		t.Errorf("nobody is asked: %+v, %+v", r.UndoRequest, r.UndoDecision)
	}
}

// useUpYes leaves an applied change as an undo does that an operator requested and that wrote nothing.
func (w *world) useUpYes(t *testing.T, id string) {
	t.Helper()
	r := w.record(t, id)
	r.UndoRequest, r.UndoDecision = ledger.Request{}, ledger.Decision{}
	e := ledger.Event{Actor: "guard", From: r.Status, To: r.Status, Code: "undo_failed", Reason: "it wrote nothing"}
	if err := w.store.Swap(context.WithoutCancel(t.Context()), r, time.Time{}, e); err != nil {
		t.Error(err)
	}
}
