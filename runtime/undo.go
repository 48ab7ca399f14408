package runtime

import (
	"context"
	"errors"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// undo takes an applied change back, if nobody changed it since. The state is looked at before the claim, so that a
// refusal leaves everything as it was, and again after it, because only then nobody else can undo.
func (g *Guard) undo(ctx context.Context, a ask) answer {
	no := g.mayUndo(ctx, a)
	if g.looked(ctx, a, no) {
		no = g.mayUndo(ctx, a)
	}
	if no != nil {
		return no
	}
	granted, no := g.claim(ctx, a)
	if no != nil {
		return no
	}
	run := g.runUndo
	if granted.record.Joined {
		run = g.runJoinedUndo
	}
	return g.await(ctx, granted, func(ctx context.Context, give func(answer)) { run(ctx, granted, give) })
}

// mayUndo is every check that comes before the claim.
func (g *Guard) mayUndo(ctx context.Context, a ask) *refusal {
	d, err := g.decide(ctx, a, claimant{})
	var no *refusal
	switch {
	case errors.As(err, &no) && no.lookNeeded:
		return g.lookLate(ctx, a, &d, no)
	case err != nil:
		return g.claimRefusal(ctx, a, err)
	}
	r := d.record
	r.Status = ledger.Applied // nothing is claimed yet
	if !d.op.reads(&r) {
		return refuseOperationChanged(&r, forUndo)
	}
	seen, no := g.whereIsIt(ctx, &r, d.op.erased)
	if no != nil {
		return no.about(&r)
	}
	if seen.where == state.Elsewise {
		return refuseStateChanged(&r, seen.changed)
	}
	return nil
}

// reads tells whether what is stored of a change still fits the running schemas and Go types, with the defaults that
// these count on. Old bytes would decode to zero values in silence.
func (e *erased) reads(r *ledger.Record) bool {
	if e.payload.Complete(r.Payload) != nil {
		return false
	}
	if e.result != nil && r.Result != nil && e.result.Validate(r.Result) != nil {
		return false
	}
	for _, state := range [][]byte{r.Before, r.After} {
		if e.state != nil && state != nil && string(state) != jsonNull && e.state.Validate(state) != nil {
			return false
		}
	}
	return e.whole == nil || e.whole(carriedBy(r))
}

// lookLate looks at a change whose state after apply is not known, keeps what it sees, and passes the refusal on with
// it: the person decides whether that is what the change made.
func (g *Guard) lookLate(ctx context.Context, a ask, d *decision, no *refusal) *refusal {
	r, op := &d.record, d.op.erased
	after, err := g.observeAfter(ctx, op, callOf(r, forUndo), carriedBy(r))
	if err != nil {
		return g.lookFailed(ctx, op, err).about(r)
	}
	seen := *r
	seen.After = after
	late := recordAfter{after: after, differs: fieldList(op.since(&seen))}
	stored, err := g.settle(ctx, &settling{id: r.ID, op: op, outcome: late})
	switch {
	case errors.Is(err, errNoTransition) && stored.Status != ledger.Applied: // somebody who looked before has it undone
		if no := g.mayUndo(ctx, a); no != nil {
			return no
		}
		return ledgerRefusal(ledger.ErrBusy).about(r) // that came to nothing, and what was seen here was told nobody
	case err != nil && !errors.Is(err, errNoTransition):
		return ledgerRefusal(err).about(r)
	}
	no.changed = op.since(&stored) // where two looked at once, that of the other may be the one that is kept
	return no.about(&stored)
}

// since are the differences from before an apply to what a look found after it. Where these are not known, or cannot be
// compared, there is nothing to list.
func (e *erased) since(r *ledger.Record) []state.Difference {
	if r.Before == nil || r.After == nil {
		return nil
	}
	changed, _ := e.binding.Everything().Compare(r.Before, r.After)
	return e.tellable(changed, r)
}

// sighting is what a look at an applied change found.
type sighting struct {
	state   []byte // nil where nothing is observed
	where   state.Standing
	changed []state.Difference // from what apply left
}

// whereIsIt looks at the state of an applied change and compares it with what was there before and after apply.
func (g *Guard) whereIsIt(ctx context.Context, r *ledger.Record, op *erased) (sighting, *refusal) {
	if op.lookAfter == nil {
		return sighting{where: state.AsAfter}, nil
	}
	now, err := g.observeAfter(ctx, op, callOf(r, forUndo), carriedBy(r))
	if err != nil {
		return sighting{}, g.lookFailed(ctx, op, err)
	}
	where, changed, err := op.binding.Stand(r.Before, r.After, now)
	if err != nil {
		return sighting{}, refuseObserve(reduced(err))
	}
	return sighting{state: now, where: where, changed: op.tellable(changed, r)}, nil
}

// runUndo runs the body if the state still is what apply left.
func (g *Guard) runUndo(ctx context.Context, granted *grant, give func(answer)) {
	held, done := granted.hold.Bind(ctx)
	defer done()
	switch seen, stop := g.stillAsLeft(held, granted); {
	case stop != nil:
		give(g.failUndo(ctx, granted, stop))
	case seen.where == state.AsBefore:
		give(g.settleUndo(ctx, granted, reasonAsBefore))
	default:
		g.runUndoBody(ctx, held, granted, seen.state, give)
	}
}

// stillAsLeft looks again, after the claim, and compares with what was there before and after apply. What is as it was
// before needs no body.
func (g *Guard) stillAsLeft(ctx context.Context, granted *grant) (sighting, *stop) {
	r := &granted.record
	seen, no := g.whereIsIt(ctx, r, granted.op.erased)
	switch {
	case granted.hold.IsLost():
		return seen, notBegun(forUndo)
	case no != nil:
		return seen, notRun(no, nil, "the look after the claim failed")
	case seen.where == state.Elsewise:
		back := *r
		back.Status = ledger.Applied
		return seen, notRun(refuseStateChanged(&back, seen.changed), nil, "changed since apply: "+fieldList(seen.changed))
	}
	return seen, nil
}

// runUndoBody gives the body the state as it is now: what is compared is as apply left it, and what is not, such as a
// version to write on, is current. The body has the context held; what is recorded of it needs no hold.
func (g *Guard) runUndoBody(ctx, held context.Context, granted *grant, now []byte, give func(answer)) {
	r, op := &granted.record, granted.op.erased
	body := attempt.Start(held, g.timeout(op), granted.undoBody(now))
	if !ended(body) {
		g.flights.Doubted(r.ClaimID)
		give(g.doubt(ctx, granted, nil, notBack(forUndo, g.timeout(op), body.Cause())))
		g.catchUp(ctx, granted, body.Done())
		<-body.Done() // it may still settle its own change
	}
	switch end := judge(body.Err, body.Late); end {
	case succeeded:
		give(g.settleUndo(ctx, granted, ""))
	case inDoubt:
		g.logPanic(ctx, r, body.Err)
		give(g.doubt(ctx, granted, nil, doubtful(forUndo, body.Err, body.Cause())))
	default:
		give(g.failUndoBody(ctx, granted, end, body.Err))
	}
}

// undoBody is the body of the operation over the state as it is now.
func (granted *grant) undoBody(now []byte) func(context.Context) (None, error) {
	call, stored := callOf(&granted.record, forUndo), carriedBy(&granted.record)
	stored.after = now
	return func(ctx context.Context) (None, error) { return None{}, granted.op.undo(ctx, call, stored) }
}

// failUndoBody records a body that failed, with what is there now.
func (g *Guard) failUndoBody(ctx context.Context, granted *grant, end ending, err error) answer {
	s := &stop{failure: bodyFailure(err, end, forUndo)}
	if end == effectUnknown || errors.Is(err, ErrConflict) {
		s.failure.reason, s.changed = g.seenAfterUndo(ctx, granted)
	}
	return g.failUndo(ctx, granted, s)
}

// seenAfterUndo says, for operators, how the state looks after an undo that failed.
func (g *Guard) seenAfterUndo(ctx context.Context, granted *grant) (string, []state.Difference) {
	if granted.op.lookAfter == nil {
		return "nothing is observed", nil
	}
	seen, no := g.whereIsIt(ctx, &granted.record, granted.op.erased)
	if no != nil {
		return "a fresh look failed: " + string(no.code), nil
	}
	return "a fresh look saw it " + seen.where.String(), seen.changed
}

// settleUndo records that the state is as before the change.
func (g *Guard) settleUndo(ctx context.Context, granted *grant, reason string) answer {
	end := settleUndone{claim: granted.record.ClaimID, reason: reason}
	stored, no := g.conclude(ctx, granted, end)
	if no != nil {
		return no
	}
	return end.answer(&stored)
}

// answer tells of an undo that is recorded.
func (s settleUndone) answer(stored *ledger.Record) answer {
	return &undoneAnswer{record: *stored, already: s.reason != ""}
}

// failUndo settles an undo that failed: proved to have written nothing, the change is applied again.
func (g *Guard) failUndo(ctx context.Context, granted *grant, s *stop) answer {
	stored, no := g.conclude(ctx, granted, settleFailed{claim: granted.record.ClaimID, failure: s.failure})
	if no != nil {
		return no
	}
	no = refuseFailed(&stored, s.failure)
	no.changed = s.changed
	return no
}

// carriedBy is what undo needs of a record.
func carriedBy(r *ledger.Record) carried {
	return carried{payload: r.Payload, before: r.Before, after: r.After, result: r.Result}
}
