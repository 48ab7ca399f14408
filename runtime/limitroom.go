package runtime

import (
	"context"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// roomPrecision is how exactly it is looked up when there is room again, and what the time that is told is rounded up to: what is
// told is never too early.
const roomPrecision = time.Second

// roomAt is when the limit of an operation has room again: when the oldest of as many of the latest claims as it allows
// is as old as its window. It is zero where there is room. A claim counts unless it is proved to have written nothing,
// that of a change which was undone too. The age of that claim is found by counting: there may be very many.
func (g *Guard) roomAt(ctx context.Context, op *registered, r *ledger.Record) (time.Time, error) {
	full, err := g.isFull(ctx, op, r, op.Limits.Per)
	if err != nil || !full {
		return noTime, err
	}
	younger, older := time.Duration(0), op.Limits.Per // it is older than the first, and no older than the second
	for older-younger > roomPrecision {
		middle := younger + (older-younger)/2
		if full, err = g.isFull(ctx, op, r, middle); err != nil {
			return noTime, err
		}
		if full {
			older = middle
		} else {
			younger = middle
		}
	}
	clock, err := g.store.Now(ctx)
	if err != nil {
		return noTime, err
	}
	return clock.Now.Add(op.Limits.Per - younger + roomPrecision - 1).Truncate(roomPrecision), nil
}

// isFull tells whether as many changes as the limit allows were claimed in the last time of some length.
func (g *Guard) isFull(ctx context.Context, op *registered, r *ledger.Record, within time.Duration) (bool, error) {
	l := op.Limits
	l.Per = within
	n, err := g.countClaims(ctx, op, l, r)
	return n >= l.Changes, err
}

// roomFor is roomAt for a change that waits and whose operation may not be here, or have no limit. What the ledger does
// not tell is left out.
func (g *Guard) roomFor(ctx context.Context, op *registered, r *ledger.Record) time.Time {
	if op == nil || op.Limits.Changes == 0 {
		return noTime
	}
	at, err := g.roomAt(ctx, op, r)
	if err != nil {
		g.log(ctx, slog.LevelWarn, "it was not found out when a limit has room again", "change", r.ID, "error", err)
	}
	return at
}

// full refuses a claim that there was no room for.
func (g *Guard) full(ctx context.Context, op *registered, r *ledger.Record) *refusal {
	return refuseFull(r, op.Limits, g.roomFor(ctx, op, r))
}
