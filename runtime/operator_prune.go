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
// is, nor an applied change that can still be undone, nor a rejected one while it is remembered, nor one that was carried
// out while a limit may count it.
type PruneOptions struct {
	OlderThan       time.Duration // only what moved last longer ago
	Keep            int           // not the newest so many of those that could be deleted
	IncludeApplied  bool          // also changes that were applied and cannot be undone any more
	RejectionMemory time.Duration // how long a rejected change is kept: that of the guards; DefaultRejectionMemory
	LimitMemory     time.Duration // how long what was carried out is kept: the longest Limits.Per of the guards; DefaultLimitMemory

	// Progress is told how many were deleted, and of about how many; nil is told nothing.
	Progress func(done, of int)
}

// DefaultLimitMemory is for how long a prune spares what was carried out. A ledger does not know the limits of operations.
const DefaultLimitMemory = 24 * time.Hour

// pruneChunk is how many changes are deleted before others are told of it.
const pruneChunk = 500

// Prune deletes what opts say, the oldest first, in small transactions, and returns how many it deleted, with an error as
// well. It may be interrupted at any time. Two that keep the newest at once may keep fewer. One who rehearses only counts.
func (o *Operator) Prune(ctx context.Context, opts PruneOptions) (n int, err error) {
	queries, err := o.prunable(ctx, opts)
	if err != nil {
		return 0, err
	}
	of, err := o.countAll(ctx, queries)
	if of = max(of-opts.Keep, 0); err != nil || o.trial {
		return of, err
	}
	for left := of; left > 0; {
		found, deleted, err := o.pruneOldest(ctx, queries, min(left, pruneChunk))
		n += deleted
		if err != nil || found == 0 {
			return n, err
		}
		if left -= found; opts.Progress != nil {
			opts.Progress(n, of)
		}
	}
	return n, nil
}

// prunable are the queries for what opts say, but for Keep: each spares for another time.
func (o *Operator) prunable(ctx context.Context, opts PruneOptions) ([]ledger.Query, error) {
	clock, err := o.store.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	now := o.clock.read(clock).now
	past := func(memory time.Duration, statuses ...ledger.Status) ledger.Query {
		return ledger.Query{Statuses: statuses, UpdatedBefore: now.Add(-max(opts.OlderThan, memory)), UndoOver: true}
	}
	carriedOut := []ledger.Status{ledger.ApplyFailed, ledger.Undone, ledger.UndoFailed}
	if opts.IncludeApplied {
		carriedOut = append(carriedOut, ledger.Applied)
	}
	return []ledger.Query{
		past(0, ledger.Expired),
		past(cmp.Or(opts.RejectionMemory, DefaultRejectionMemory), ledger.Rejected),
		past(cmp.Or(opts.LimitMemory, DefaultLimitMemory), carriedOut...),
	}, nil
}

func (o *Operator) countAll(ctx context.Context, queries []ledger.Query) (n int, err error) {
	for _, q := range queries {
		matching, err := o.store.Count(ctx, q)
		if err != nil {
			return 0, fmt.Errorf("count changes: %w", err)
		}
		n += matching
	}
	return n, nil
}

// pruneOldest deletes the oldest of what matches the queries together, at most limit, and has the queries go on behind
// them: what was passed over is not looked at again. Of those that it found, others may have deleted some.
func (o *Operator) pruneOldest(ctx context.Context, queries []ledger.Query, limit int) (found, deleted int, err error) {
	shares, err := o.shares(ctx, queries, limit)
	if err != nil {
		return 0, 0, err
	}
	for i, share := range shares {
		if share.n == 0 {
			continue
		}
		n, err := o.store.Prune(ctx, queries[i], share.n)
		deleted += n
		if err != nil {
			return found, deleted, fmt.Errorf("prune the ledger: %w", err)
		}
		found, queries[i].After = found+share.n, share.last
	}
	return found, deleted, nil
}

// share is how many changes of one query are deleted together, up to the id of the last.
type share struct {
	n    int
	last string
}

// shares tells which of the oldest limit changes, of all queries together, match each of them.
func (o *Operator) shares(ctx context.Context, queries []ledger.Query, limit int) ([]share, error) {
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
	shares := make([]share, len(queries))
	for _, c := range oldest[:min(limit, len(oldest))] {
		shares[c.query] = share{n: shares[c.query].n + 1, last: c.id}
	}
	return shares, nil
}
