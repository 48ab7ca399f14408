package upkeep

import (
	"cmp"
	"context"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Holders are all who live or have claims that are not settled, by name: of those who have claims, which are counted, and of
// those who are registered, of whom more is known. One that is registered, does not live and left nothing open means nothing.
func Holders(ctx context.Context, store ledger.Store, claimants, registered []ledger.HolderState) ([]ledger.HolderState, error) {
	states := slices.Clone(registered)
	for _, claimant := range claimants {
		at := slices.IndexFunc(states, func(h ledger.HolderState) bool { return h.Name == claimant.Name })
		if at < 0 {
			states = append(states, claimant)
			continue
		}
		states[at].Claims = claimant.Claims
	}
	for i := range states {
		liveness, err := store.Holder(ctx, states[i].Name)
		if err != nil {
			return nil, err
		}
		states[i].Liveness = liveness
	}
	states = slices.DeleteFunc(states, func(h ledger.HolderState) bool { return h.Claims == 0 && h.Liveness != ledger.Alive })
	slices.SortFunc(states, func(a, b ledger.HolderState) int { return cmp.Compare(a.Name, b.Name) })
	return states, nil
}
