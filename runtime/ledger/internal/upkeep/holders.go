package upkeep

import (
	"cmp"
	"context"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Holders are all who live or have claims that are not settled, by name: of those who have claims, which are counted, and of
// those who are registered. One that is registered, does not live and left nothing open means nothing.
func Holders(ctx context.Context, store ledger.Store, claimants []ledger.HolderState, registered []string) ([]ledger.HolderState, error) {
	states := slices.Clone(claimants)
	for _, name := range registered {
		if !slices.ContainsFunc(states, func(h ledger.HolderState) bool { return h.Name == name }) {
			states = append(states, ledger.HolderState{Name: name})
		}
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
