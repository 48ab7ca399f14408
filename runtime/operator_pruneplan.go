package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// prunePlan is what a prune is to delete. Its queries are about one moment, so that nothing is added by waiting.
type prunePlan struct {
	queries []ledger.Query
	doomed  []doomed // the oldest first
	spared  Spared
}

// doomed is a change that is to be deleted.
type doomed struct {
	id     string
	status ledger.Status
	made   time.Time
	query  int // the one that it matches
}

// Spared is how many changes a prune leaves although they are over, each by the first reason that there is.
type Spared struct {
	Young      int // moved within PruneOptions.OlderThan
	Remembered int // rejected within PruneOptions.RejectionMemory
	Counted    int // carried out within PruneOptions.LimitMemory
	Applied    int // applied, without PruneOptions.IncludeApplied
	Undoable   int // applied, and can still be undone
	Kept       int // for PruneOptions.Keep
}

// overGroup are changes that are over and are kept for the same time.
type overGroup struct {
	statuses   []ledger.Status
	memory     time.Duration
	remembered *int // how many the memory spares
}

// planPrune decides what opts delete now. A record that cannot be read stays, and keeps no other.
func (o *Operator) planPrune(ctx context.Context, opts PruneOptions) (*prunePlan, error) {
	clock, err := o.store.Now(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the clock of the ledger: %w", err)
	}
	now, p := o.clock.read(clock).now, &prunePlan{}
	for _, g := range p.groups(opts) {
		err := o.planGroup(ctx, p, g, now.Add(-opts.OlderThan), now.Add(-max(opts.OlderThan, g.memory)))
		if err != nil {
			return nil, fmt.Errorf("look for what to prune: %w", err)
		}
	}
	if !opts.IncludeApplied {
		if p.spared.Applied, err = o.store.Count(ctx, ledger.Query{Statuses: []ledger.Status{ledger.Applied}}); err != nil {
			return nil, fmt.Errorf("count applied changes: %w", err)
		}
	}
	slices.SortFunc(p.doomed, func(a, b doomed) int { return strings.Compare(a.id, b.id) })
	p.spared.Kept = min(opts.Keep, len(p.doomed))
	p.doomed = p.doomed[:len(p.doomed)-p.spared.Kept]
	return p, nil
}

func (p *prunePlan) groups(opts PruneOptions) []overGroup {
	limits := cmp.Or(opts.LimitMemory, DefaultLimitMemory)
	groups := []overGroup{
		{[]ledger.Status{ledger.Expired}, 0, &p.spared.Young},
		{[]ledger.Status{ledger.Rejected}, cmp.Or(opts.RejectionMemory, DefaultRejectionMemory), &p.spared.Remembered},
		{[]ledger.Status{ledger.ApplyFailed, ledger.Undone, ledger.UndoFailed}, limits, &p.spared.Counted},
	}
	if opts.IncludeApplied {
		groups = append(groups, overGroup{[]ledger.Status{ledger.Applied}, limits, &p.spared.Counted})
	}
	return groups
}

// planGroup adds what last moved before a moment, and counts what it spares.
func (o *Operator) planGroup(ctx context.Context, p *prunePlan, g overGroup, old, forgotten time.Time) error {
	q := ledger.Query{Statuses: g.statuses}
	counts := make([]int, 0, 3)
	for _, q.UpdatedBefore = range []time.Time{{}, old, forgotten} {
		n, err := o.store.Count(ctx, q)
		if err != nil {
			return err
		}
		counts = append(counts, n)
	}
	p.spared.Young += max(counts[0]-counts[1], 0) // others may prune between two counts
	*g.remembered += max(counts[1]-counts[2], 0)
	q.UndoOver = true
	for r, err := range ledger.All(ctx, o.store, q) {
		var damaged *ledger.DamagedError
		switch {
		case errors.As(err, &damaged):
		case err != nil:
			return err
		default:
			p.doomed = append(p.doomed, doomed{r.ID, r.Status, r.CreatedAt, len(p.queries)})
			counts[2]--
		}
	}
	if slices.Contains(g.statuses, ledger.Applied) {
		p.spared.Undoable += max(counts[2], 0)
	}
	p.queries = append(p.queries, q)
	return nil
}
