package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
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

	// Within is what a rehearsal of the same options returned: nothing else is deleted, although more may be over by now.
	Within *Pruned

	// Progress is told how many were deleted, and of about how many; nil is told nothing.
	Progress func(done, of int)
}

// DefaultLimitMemory is for how long a prune spares what was carried out. A ledger does not know the limits of operations.
const DefaultLimitMemory = 24 * time.Hour

// chunkSize is how many changes are deleted before others are told of it.
const chunkSize = 500

// Prune deletes what opts say, the oldest first, in small transactions, and returns what it deleted, with an error as well.
// It may be interrupted at any time. What it deletes is decided before it begins: those who prune at once keep the same.
// One who rehearses deletes nothing, and returns what would be deleted now.
func (o *Operator) Prune(ctx context.Context, opts PruneOptions) (p Pruned, err error) {
	plan, err := o.prunePlan(ctx, opts)
	if err != nil {
		return p, err
	}
	p.Spared, p.plan = plan.spared, plan
	for chunk := range slices.Chunk(plan.doomed, chunkSize) {
		if err := o.pruneChunk(ctx, plan.queries, chunk, &p); err != nil {
			return p, err
		}
		if opts.Progress != nil {
			opts.Progress(p.Changes, len(plan.doomed))
		}
	}
	return p, nil
}

// prunePlan is what was rehearsed, or else what opts say now.
func (o *Operator) prunePlan(ctx context.Context, opts PruneOptions) (*prunePlan, error) {
	switch {
	case opts.Keep < 0:
		return nil, errors.New("runtime: PruneOptions.Keep is negative")
	case opts.Within == nil:
		return o.planPrune(ctx, opts)
	case opts.Within.plan == nil:
		return nil, errors.New("runtime: PruneOptions.Within is not what a rehearsal returned")
	}
	return opts.Within.plan, nil
}

// pruneChunk deletes those of a chunk that can still be deleted, and that others have not.
func (o *Operator) pruneChunk(ctx context.Context, queries []ledger.Query, chunk []doomed, p *Pruned) error {
	for i, q := range queries {
		found := slices.DeleteFunc(slices.Clone(chunk), func(d doomed) bool { return d.query != i })
		if len(found) == 0 {
			continue
		}
		n, err := len(found), error(nil)
		if !o.trial {
			for _, d := range found {
				q.IDs = append(q.IDs, d.id)
			}
			n, err = o.store.Prune(ctx, q, len(found))
		}
		p.add(found[:n])
		if err != nil {
			return fmt.Errorf("prune the ledger: %w", err)
		}
	}
	return nil
}
