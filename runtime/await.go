package runtime

import (
	"context"
	"log/slog"
	"runtime/debug"
)

// await carries a claim out to its end in the background, whatever becomes of the caller, and returns the first answer.
// carryOut must give at least one; it may go on after that. The flight ends when the outcome is recorded.
func (g *Guard) await(ctx context.Context, granted *grant, carryOut func(context.Context, func(answer))) answer {
	r := &granted.record
	answers := make(chan answer, 1)
	give := func(a answer) {
		select {
		case answers <- a:
		default: // answered already
		}
	}
	granted.give = give
	go func() {
		defer g.land(granted, r.ClaimID)
		defer g.survive(ctx, granted, give)
		carryOut(context.WithoutCancel(ctx), give)
		g.catchUp(context.WithoutCancel(ctx), granted, nil)
	}()
	select {
	case a := <-answers:
		return a
	case <-ctx.Done():
	}
	select {
	case a := <-answers:
		return a
	default:
		return refuseLeft(r)
	}
}

// survive turns a panic of our own code into an answer. What was known of the claim is recorded, if it is not yet, and
// where nothing was, that it is in doubt. A second panic leaves the claim as it is; whoever asks next finds it forgotten.
func (g *Guard) survive(ctx context.Context, granted *grant, give func(answer)) {
	p := recover()
	if p == nil {
		return
	}
	r := &granted.record
	tell := func(p any) {
		g.log(ctx, slog.LevelError, "panic while a change was carried out", "change", r.ID, "panic", p, "stack", string(debug.Stack()))
	}
	tell(p)
	defer func() {
		if p := recover(); p != nil {
			tell(p)
			give(refuseClaimed(r, claimState{}))
		}
	}()
	switch {
	case granted.owed != nil:
		g.flights.Owe(r.ClaimID, granted.owed.known)
		give(refuseUnrecorded(r, granted.owed.known))
	case granted.ended:
		give(refuseInternal())
	case r.Joined:
		give(g.giveUpJoined(ctx, granted))
	default:
		give(g.doubt(ctx, granted, nil, failedInside(r.Status)))
	}
	g.catchUp(context.WithoutCancel(ctx), granted, nil)
}
