package runtime

import (
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Pruned is what Prune deleted, or would. Where others delete at the same time, what it says besides the number is about
// what was found, some of which they may have deleted.
type Pruned struct {
	Changes        int
	ByStatus       map[ledger.Status]int
	First          []string  // the ids of some of them, in the order in which they go; at most namedPruned
	Oldest, Newest time.Time // when the first and the last of them was made
	Spared         Spared    // what stays, as it was when the prune was decided

	plan *prunePlan
}

// namedPruned is how many changes Pruned names.
const namedPruned = 5

func (p *Pruned) add(all []doomed) {
	if p.ByStatus == nil {
		p.ByStatus = map[ledger.Status]int{}
	}
	for _, d := range all {
		if p.Changes++; len(p.First) < namedPruned {
			p.First = append(p.First, d.id)
		}
		p.ByStatus[d.status]++
		if p.Oldest.IsZero() || d.made.Before(p.Oldest) {
			p.Oldest = d.made
		}
		if d.made.After(p.Newest) {
			p.Newest = d.made
		}
	}
}
