package runtime

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// joinedUndo is what was done of an undo in the transaction that records it.
type joinedUndo struct {
	stop   *stop        // why the body was not called
	failed error        // of the body
	end    settleUndone // of a body that did not fail, or was not needed
}

// runJoinedUndo runs the body, with the look before it, in one transaction. Its failure proves that nothing was written.
func (g *Guard) runJoinedUndo(ctx context.Context, granted *grant, give func(answer)) {
	held, done := granted.hold.Bind(ctx)
	defer done()
	var j joinedUndo
	stored, err := g.join(held, granted, func(ctx context.Context) (conclusion, error) { return j.carryOut(ctx, g, granted) })
	switch {
	case err == nil:
		give(j.end.answer(&stored))
	case j.stop != nil:
		give(g.failUndo(ctx, granted, j.stop))
	case j.failed != nil:
		g.logPanic(ctx, &granted.record, j.failed)
		give(g.failUndoBody(ctx, granted, nothingWritten, asConflict(j.failed, err)))
	default:
		give(g.endUnjoinedUndo(ctx, granted, &j, err))
	}
}

// carryOut looks, and runs the body if the state still is what apply left.
func (j *joinedUndo) carryOut(ctx context.Context, g *Guard, granted *grant) (conclusion, error) {
	seen, stop := g.stillAsLeft(ctx, granted)
	if stop != nil {
		j.stop = stop
		return nil, errHalted
	}
	j.end.claim = granted.record.ClaimID
	if seen.where == state.AsBefore {
		j.end.reason = reasonAsBefore
		return j.end, nil
	}
	_, j.failed = attempt.Do(ctx, g.timeout(granted.op.erased), granted.undoBody(seen.state))
	return j.end, j.failed
}

// endUnjoinedUndo records that the ledger did not take what an undo wrote, so that the change is applied still; unless it
// is there after all, when the answer of the ledger was lost.
func (g *Guard) endUnjoinedUndo(ctx context.Context, granted *grant, j *joinedUndo, err error) answer {
	f := notTaken(forUndo, err)
	stored, no := g.conclude(ctx, granted, settleFailed{claim: granted.record.ClaimID, failure: f})
	switch {
	case no != nil:
		return no
	case stored.Status == ledger.Undone:
		return j.end.answer(&stored)
	}
	return refuseFailed(&stored, f)
}
