package sqlite

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
)

// Holders are all who live or have claims that are not settled, by name. The file of one that is gone and left nothing open
// means nothing: it may be about to be locked, or to be removed.
func (s *Store) Holders(ctx context.Context) ([]ledger.HolderState, error) {
	claimants, err := s.claimants(ctx)
	if err != nil {
		return nil, err
	}
	names, err := s.holds()
	if err != nil {
		return nil, unavailable(s.path, "look for holders", err)
	}
	registered := make([]ledger.HolderState, len(names))
	for i, name := range names {
		registered[i] = ledger.HolderState{Name: name, Process: holdNote(s.holdPath(name))}
	}
	return upkeep.Holders(ctx, s, claimants, registered)
}

// claimants are those who have claims that are not settled.
func (s *Store) claimants(ctx context.Context) (states []ledger.HolderState, err error) {
	err = s.query(ctx, "look for open claims", func(db querier) (err error) {
		states, err = collect(ctx, db, func(h *ledger.HolderState) []any { return []any{&h.Name, &h.Claims} }, holdersSQL)
		return err
	})
	return states, err
}
