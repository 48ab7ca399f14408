package postgres

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
	"github.com/jackc/pgx/v5"
)

const (
	claimantsSQL  = "SELECT holder, count(*) FROM changesetgen.changes WHERE " + selection.IsOpen + " GROUP BY holder"
	registeredSQL = "SELECT name FROM changesetgen.holders WHERE over_at IS NULL"
)

// Holders are all who live or have claims that are not settled, by name.
func (s *Store) Holders(ctx context.Context) ([]ledger.HolderState, error) {
	var claimants []ledger.HolderState
	var registered []string
	err := s.read(ctx, "look for holders", func(ctx context.Context, db reader) error {
		rows, err := db.Query(ctx, s.in(claimantsSQL))
		if err != nil {
			return err
		}
		claimants, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (h ledger.HolderState, err error) {
			return h, row.Scan(textField{&h.Name}, &h.Claims)
		})
		if err != nil {
			return err
		}
		if rows, err = db.Query(ctx, s.in(registeredSQL)); err == nil {
			registered, err = pgx.CollectRows(rows, pgx.RowTo[string])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return upkeep.Holders(ctx, s, claimants, registered)
}
