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

// chunkSize is how many changes are deleted before others are told of it.
const chunkSize = 500

// Prune deletes what opts say, the oldest first, in small transactions, and returns what it deleted, with an error as well.
// It may be interrupted at any time. What it keeps is decided before it begins, so that those who prune at once keep the
// same. One who rehearses deletes nothing, and returns what would be deleted now.
func (o *Operator) Prune(ctx context.Context, opts PruneOptions) (p Pruned, err error) {
	queries, err := o.prunable(ctx, opts)
	if err != nil {
		return p, err
	}
	if err := o.keepNewest(ctx, queries, opts.Keep); err != nil {
		return p, err
	}
	of, err := o.countAll(ctx, queries)
	if err != nil {
		return p, err
	}
	for {
		chunk, err := o.oldest(ctx, queries, chunkSize)
		if err == nil {
			err = o.pruneChunk(ctx, queries, chunk, &p)
		}
		if err != nil || len(chunk) == 0 {
			return p, err
		}
		if opts.Progress != nil {
			opts.Progress(p.Changes, of)
		}
	}
}

// keepNewest has the queries end below the newest so many changes that they match together.
func (o *Operator) keepNewest(ctx context.Context, queries []ledger.Query, keep int) error {
	if keep <= 0 {
		return nil
	}
	var newest []string
	for _, q := range queries {
		q.Newest = true
		left := keep
		for r, err := range ledger.All(ctx, o.store, q) {
			if err != nil {
				return fmt.Errorf("look for what to keep: %w", err)
			}
			newest = append(newest, r.ID)
			if left--; left == 0 {
				break
			}
		}
	}
	if len(newest) == 0 {
		return nil
	}
	slices.SortFunc(newest, func(a, b string) int { return strings.Compare(b, a) })
	for i := range queries {
		queries[i].Below = newest[min(keep, len(newest))-1]
	}
	return nil
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

// doomed is a change that is to be deleted.
type doomed struct {
	id     string
	status ledger.Status
	made   time.Time
	query  int // the one that it matches
}

// oldest are the oldest changes of all queries together, at most limit of them, in the order in which they are deleted.
func (o *Operator) oldest(ctx context.Context, queries []ledger.Query, limit int) ([]doomed, error) {
	var all []doomed
	for i, q := range queries {
		q.Limit = limit
		records, err := o.store.List(ctx, q)
		if err != nil {
			return nil, fmt.Errorf("look for what to prune: %w", err)
		}
		for _, r := range records {
			all = append(all, doomed{r.ID, r.Status, r.CreatedAt, i})
		}
	}
	slices.SortFunc(all, func(a, b doomed) int { return strings.Compare(a.id, b.id) })
	return all[:min(limit, len(all))], nil
}

// pruneChunk deletes the oldest changes, and has the queries go on behind them: what was passed over is not looked at
// again. Of those that were found, others may have deleted some.
func (o *Operator) pruneChunk(ctx context.Context, queries []ledger.Query, chunk []doomed, p *Pruned) error {
	for i := range queries {
		found := slices.DeleteFunc(slices.Clone(chunk), func(d doomed) bool { return d.query != i })
		if len(found) == 0 {
			continue
		}
		n, err := len(found), error(nil)
		if !o.trial {
			n, err = o.store.Prune(ctx, queries[i], len(found))
		}
		p.add(found[:n])
		if err != nil {
			return fmt.Errorf("prune the ledger: %w", err)
		}
		queries[i].After = found[len(found)-1].id
	}
	return nil
}
