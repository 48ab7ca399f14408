package runtime

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// PrunePlan is what Prune would delete.
type PrunePlan struct {
	Changes        int
	ByStatus       map[ledger.Status]int
	First          []string  // the ids of the oldest, at most plannedIDs
	Oldest, Newest time.Time // when the first and the last of them was made
}

// plannedIDs is how many changes a plan names.
const plannedIDs = 5

// doomed is what a plan needs of a change.
type doomed struct {
	id     string
	status ledger.Status
	made   time.Time
}

// PlanPrune tells what Prune would delete now with opts. It reads all of it.
func (o *Operator) PlanPrune(ctx context.Context, opts PruneOptions) (PrunePlan, error) {
	plan := PrunePlan{ByStatus: map[ledger.Status]int{}}
	queries, err := o.prunable(ctx, opts)
	if err != nil {
		return plan, err
	}
	var all []doomed
	for _, q := range queries {
		q.Limit = pageSize
		err := o.each(ctx, q, func(r *ledger.Record, damaged error) error {
			if damaged != nil {
				return damaged
			}
			all = append(all, doomed{r.ID, r.Status, r.CreatedAt})
			return nil
		})
		if err != nil {
			return plan, err
		}
	}
	slices.SortFunc(all, func(a, b doomed) int { return strings.Compare(a.id, b.id) })
	all = all[:max(len(all)-opts.Keep, 0)]
	for _, p := range all {
		plan.add(p)
	}
	return plan, nil
}

// add takes a change in. They come in the order in which they would be deleted.
func (plan *PrunePlan) add(p doomed) {
	if plan.Changes++; len(plan.First) < plannedIDs {
		plan.First = append(plan.First, p.id)
	}
	plan.ByStatus[p.status]++
	if plan.Oldest.IsZero() || p.made.Before(plan.Oldest) {
		plan.Oldest = p.made
	}
	if p.made.After(plan.Newest) {
		plan.Newest = p.made
	}
}
