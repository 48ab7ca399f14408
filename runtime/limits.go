package runtime

import (
	"context"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// pendingCaps keep previews from piling up: of one caller at one server, and of all in the ledger.
func (g *Guard) pendingCaps(r *ledger.Record) []ledger.Cap {
	waiting := []ledger.Status{ledger.Pending}
	return []ledger.Cap{
		{Of: ledger.Query{Statuses: waiting, Unexpired: true, Server: r.Server, By: partyOf(r)}, Max: g.opts.MaxPending},
		{Of: ledger.Query{Statuses: waiting, Unexpired: true}, Max: g.opts.MaxPendingAll},
	}
}

// countItems is how many things a change affects.
func (g *Guard) countItems(ctx context.Context, op *erased, payload []byte) (int64, error) {
	if op.items == nil {
		return 1, nil
	}
	n, err := attempt.Do(ctx, g.opts.Timeout, func(context.Context) (int, error) { return op.items(payload) })
	if err == nil && n < 0 {
		return 0, fmt.Errorf("Items gave %d: give 0 or more", n)
	}
	return int64(n), err
}

// claimsOf selects what counts for the limit of an operation, under any of its names.
func claimsOf(l Limits, r *ledger.Record, names []string) ledger.Query {
	q := ledger.Query{Server: r.Server, Operations: names, ClaimedWithin: l.Per}
	if !l.OfAll {
		q.By = partyOf(r)
	}
	return q
}

// room refuses a preview of what could not be applied now.
func (g *Guard) room(ctx context.Context, op *registered, r *ledger.Record) (*refusal, error) {
	if op.Limits.Changes == 0 {
		return nil, nil
	}
	n, err := g.countClaims(ctx, op, op.Limits, r)
	if err != nil || n < op.Limits.Changes {
		return nil, err
	}
	at, err := g.roomAt(ctx, op, r)
	if err != nil {
		return nil, err
	}
	return refuseChanges(op.Limits, at), nil
}

// countClaims counts what was claimed of an operation.
func (g *Guard) countClaims(ctx context.Context, op *registered, l Limits, r *ledger.Record) (int, error) {
	n, err := g.store.Count(ctx, claimsOf(l, r, op.names()))
	if err != nil {
		return 0, fmt.Errorf("count the changes of %s: %w", op.Name, err)
	}
	return n, nil
}

// claimCaps let a claim through only where the limit of its operation has room, by a count in the claim's own
// transaction.
func claimCaps(op *registered, r *ledger.Record, p purpose) []ledger.Cap {
	if p != forApply || op.Limits.Changes == 0 {
		return nil
	}
	return []ledger.Cap{{Of: claimsOf(op.Limits, r, op.names()), Max: op.Limits.Changes}}
}

// waits is how long a preview stays good: until it is approved, where a person has to.
func (g *Guard) waits(r *ledger.Record) time.Duration {
	if approvalNamed(r.Approval) == ByToken {
		return r.TTL
	}
	return g.opts.ApprovalTTL
}
