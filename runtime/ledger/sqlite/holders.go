package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Holders are all who live or have claims that are not settled, by name. The file of one that is gone and left nothing open
// means nothing: it may be about to be locked, or to be removed.
func (s *Store) Holders(ctx context.Context) ([]ledger.HolderState, error) {
	states, err := s.claimants(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.holds()
	if err != nil {
		return nil, unavailable(s.path, "look for holders", err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(states, func(h ledger.HolderState) bool { return h.Name == name }) {
			states = append(states, ledger.HolderState{Name: name})
		}
	}
	for i := range states {
		if states[i].Liveness, err = s.Holder(ctx, states[i].Name); err != nil {
			return nil, err
		}
	}
	states = slices.DeleteFunc(states, func(h ledger.HolderState) bool { return h.Claims == 0 && h.Liveness != ledger.Alive })
	slices.SortFunc(states, func(a, b ledger.HolderState) int { return cmp.Compare(a.Name, b.Name) })
	return states, nil
}

// claimants are those who have claims that are not settled.
func (s *Store) claimants(ctx context.Context) (states []ledger.HolderState, err error) {
	err = s.query(ctx, "look for open claims", func(db querier) (err error) {
		states, err = collect(ctx, db, func(h *ledger.HolderState) []any { return []any{&h.Name, &h.Claims} }, holdersSQL)
		return err
	})
	return states, err
}
