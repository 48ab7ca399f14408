package runtime

import (
	"context"
	"log/slog"
	"runtime/debug"

	"github.com/changesetgen/changesetgen/runtime/ledger"
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
	go func() {
		defer g.flights.end(r.ClaimID)
		defer g.survive(ctx, r, give)
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

// survive turns a panic of our own code into an answer. The claim stays as it is: in doubt.
func (g *Guard) survive(ctx context.Context, r *ledger.Record, give func(answer)) {
	if p := recover(); p != nil {
		g.log(ctx, slog.LevelError, "panic while a change was carried out", "change", r.ID, "panic", p, "stack", string(debug.Stack()))
		give(refuseClaimed(r, claimState{}))
	}
}
