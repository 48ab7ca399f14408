package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// PruneOptions say which of the changes that are over are deleted, with their events. What is pending or claimed never
// is, nor an applied change that can still be undone, nor a rejected one while it is remembered.
type PruneOptions struct {
	OlderThan       time.Duration // only what moved last longer ago
	Keep            int           // not the newest so many of those that could be deleted
	IncludeApplied  bool          // also changes that were applied and cannot be undone any more
	RejectionMemory time.Duration // how long a rejected change is kept: that of the guards; DefaultRejectionMemory

	// Progress is told how many were deleted, and of about how many; nil is told nothing.
	Progress func(done, of int)
}

// pruneChunk is how many changes are deleted before others are told of it, and counted again.
const pruneChunk = 500

// Prune deletes what opts say, the oldest first, in small transactions, and returns how many it deleted, with an error as
// well. It may be interrupted at any time. Two that keep the newest at once may keep fewer. One who rehearses only counts.
func (o *Operator) Prune(ctx context.Context, opts PruneOptions) (n int, err error) {
	for {
		left, err := o.prunableCount(ctx, opts)
		switch {
		case err != nil || left == 0:
			return n, err
		case o.trial:
			return left, nil
		}
		deleted, err := o.pruneOldest(ctx, opts, min(left, pruneChunk))
		n += deleted
		if err != nil || deleted == 0 {
			return n, err
		}
		if opts.Progress != nil {
			opts.Progress(n, n+left-deleted)
		}
	}
}

// prunableCount counts what Prune would delete now.
func (o *Operator) prunableCount(ctx context.Context, opts PruneOptions) (int, error) {
	queries, err := o.prunable(ctx, opts)
	if err != nil {
		return 0, err
	}
	n := -opts.Keep
	for _, q := range queries {
		matching, err := o.store.Count(ctx, q)
		if err != nil {
			return 0, fmt.Errorf("count changes: %w", err)
		}
		n += matching
	}
	return max(n, 0), nil
}

// prunable are the queries for what opts say, but for Keep: one for all statuses cannot spare only rejected changes.
func (o *Operator) prunable(ctx context.Context, opts PruneOptions) ([]ledger.Query, error) {
	clock, err := o.store.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	now := o.clock.read(clock).now
	closed := ledger.Query{
		Statuses:      []ledger.Status{ledger.Expired, ledger.ApplyFailed, ledger.Undone, ledger.UndoFailed},
		UpdatedBefore: now.Add(-opts.OlderThan),
		UndoOver:      true,
	}
	if opts.IncludeApplied {
		closed.Statuses = append(closed.Statuses, ledger.Applied)
	}
	memory := max(opts.OlderThan, cmp.Or(opts.RejectionMemory, DefaultRejectionMemory))
	rejected := ledger.Query{Statuses: []ledger.Status{ledger.Rejected}, UpdatedBefore: now.Add(-memory), UndoOver: true}
	return []ledger.Query{closed, rejected}, nil
}

// pruneOldest deletes at most limit changes.
func (o *Operator) pruneOldest(ctx context.Context, opts PruneOptions, limit int) (n int, err error) {
	queries, err := o.prunable(ctx, opts)
	if err != nil {
		return 0, err
	}
	shares, err := o.shares(ctx, queries, limit)
	for i, share := range shares {
		if share == 0 {
			continue
		}
		deleted, err := o.store.Prune(ctx, queries[i], share)
		n += deleted
		if err != nil {
			return n, fmt.Errorf("prune the ledger: %w", err)
		}
	}
	return n, err
}

// shares tells how many of the oldest limit changes, of all queries together, match each of them.
func (o *Operator) shares(ctx context.Context, queries []ledger.Query, limit int) ([]int, error) {
	type candidate struct {
		id    string
		query int
	}
	var oldest []candidate
	for i, q := range queries {
		q.Limit = limit
		records, err := o.store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("look for what to prune: %w", err)
		}
		for _, r := range records {
			oldest = append(oldest, candidate{r.ID, i})
		}
	}
	slices.SortFunc(oldest, func(a, b candidate) int { return strings.Compare(a.id, b.id) })
	shares := make([]int, len(queries))
	for _, c := range oldest[:min(limit, len(oldest))] {
		shares[c.query]++
	}
	return shares, nil
}
