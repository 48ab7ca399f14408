package sqlite

import (
	"cmp"
	"context"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// HolderState is what is known of one of those who may claim, or have claimed.
type HolderState struct {
	Name     string          `json:"name"`
	Liveness ledger.Liveness `json:"liveness"`
	Claims   int             `json:"claims"` // how many of its claims are not settled
}

// Holders are all who live or have claims that are not settled, by name. The file of one that is gone and left nothing open
// means nothing: it may be about to be locked, or to be removed.
func (s *Store) Holders(ctx context.Context) ([]HolderState, error) {
	states, err := s.claimants(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.holds()
	if err != nil {
		return nil, unavailable(s.path, "look for holders", err)
	}
	for _, name := range names {
		if !slices.ContainsFunc(states, func(h HolderState) bool { return h.Name == name }) {
			states = append(states, HolderState{Name: name})
		}
	}
	for i := range states {
		if states[i].Liveness, err = s.Holder(ctx, states[i].Name); err != nil {
			return nil, err
		}
	}
	states = slices.DeleteFunc(states, func(h HolderState) bool { return h.Claims == 0 && h.Liveness != ledger.Alive })
	slices.SortFunc(states, func(a, b HolderState) int { return cmp.Compare(a.Name, b.Name) })
	return states, nil
}

// claimants are those who have claims that are not settled.
func (s *Store) claimants(ctx context.Context) (states []HolderState, err error) {
	err = s.query(ctx, "look for open claims", func(db querier) (err error) {
		states, err = collect(ctx, db, func(h *HolderState) []any { return []any{&h.Name, &h.Claims} }, holdersSQL)
		return err
	})
	return states, err
}
