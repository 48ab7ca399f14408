package runtime

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// watched is an open claim whose holder seemed to live when its server was registered. Where holders have leases, one that
// died a moment before seems so until its lease is over.
type watched struct {
	claim ledger.Record // id, server and operation
	told  bool          // the operator was told of a doubt about it
}

// watch keeps a claim until its holder is gone. Where a holder is gone with its process, nobody seems to live who does not,
// and there is nothing to wait for.
func (g *Guard) watch(r *ledger.Record, told bool) {
	if g.holds.Leased() && !g.holds.Ours(r.Holder) {
		g.watches[r.Holder] = append(g.watches[r.Holder], watched{claimOf(r), told})
	}
}

// lookAtWatched tells the operator of the claims whose holders are gone by now, and looks at them. While a server is being
// registered that waits for the next time.
func (g *Guard) lookAtWatched(ctx context.Context) error {
	if !g.registering.TryLock() {
		return nil
	}
	defer g.registering.Unlock()
	for holder, claims := range g.watches {
		there, err := g.store.Holder(ctx, holder)
		if err != nil {
			return err
		}
		if there == ledger.Alive {
			continue
		}
		delete(g.watches, holder)
		for i, c := range claims {
			if err := g.examine(ctx, &c.claim, nil, c.told); err != nil {
				g.watches[holder] = claims[i:]
				return err
			}
		}
	}
	for _, set := range g.allToolsets() {
		g.lookAtOrphans(set)
	}
	return nil
}

func (g *Guard) allToolsets() (all []*toolset) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, set := range g.toolsets {
		all = append(all, set)
	}
	return all
}
