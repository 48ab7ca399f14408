package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// roomPage is how many claims are read at once to find out when there is room again.
const roomPage = 100

// roomAt is when the limit of an operation has room again: when as many claims as it allows, less one, are left in its
// window. It is zero where there is room. A claim counts unless it
// is proved to have written nothing, that of a change which was undone too.
func (g *Guard) roomAt(ctx context.Context, op *registered, r *ledger.Record) (time.Time, error) {
	var claimed []time.Time
	for _, name := range op.names() {
		q := claimsOf(op.Limits, r, name)
		q.Limit = roomPage
		for {
			page, err := g.store.List(ctx, q)
			if err != nil {
				return noTime, fmt.Errorf("look for the changes of %s: %w", name, err)
			}
			for i := range page {
				claimed = append(claimed, page[i].ClaimedAt)
			}
			if len(page) < roomPage {
				break
			}
			q.After = page[len(page)-1].ID
		}
	}
	if len(claimed) < op.Limits.Changes {
		return noTime, nil
	}
	slices.SortFunc(claimed, time.Time.Compare)
	return claimed[len(claimed)-op.Limits.Changes].Add(op.Limits.Per), nil
}

// roomFor is roomAt for a change that waits and whose operation may not be here, or have no limit. What the ledger does not
// tell is left out.
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
