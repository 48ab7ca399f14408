package postgres

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
	"github.com/jackc/pgx/v5"
)

const (
	claimantsSQL = "SELECT holder, count(*) FROM changesetgen.changes WHERE " + selection.IsOpen + " GROUP BY holder"
	// registeredSQL also tells of those that are over where the process was that left something open.
	registeredSQL = `
SELECT name, host, pid, CASE WHEN over_at IS NULL THEN heard_at END, CASE WHEN over_at IS NULL THEN until END
FROM changesetgen.holders AS h
WHERE over_at IS NULL OR EXISTS (SELECT FROM changesetgen.changes AS c WHERE c.` + selection.IsOpen + ` AND c.holder = h.name)`
)

// Holders are all who live or have claims that are not settled, by name.
func (s *Store) Holders(ctx context.Context) ([]ledger.HolderState, error) {
	var claimants, registered []ledger.HolderState
	err := s.read(ctx, "look for holders", func(ctx context.Context, db reader) (err error) {
		claimants, err = s.holders(ctx, db, claimantsSQL, func(h *ledger.HolderState) []any {
			return []any{textField{&h.Name}, &h.Claims}
		})
		if err != nil {
			return err
		}
		registered, err = s.holders(ctx, db, registeredSQL, func(h *ledger.HolderState) []any {
			return []any{&h.Name, textField{&h.Host}, &h.PID, columns.Time(&h.HeardAt), columns.Time(&h.GoneAt)}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return upkeep.Holders(ctx, s, claimants, registered)
}

// holders are the rows of a query, each with these columns.
func (s *Store) holders(ctx context.Context, db reader, query string, fields func(*ledger.HolderState) []any) ([]ledger.HolderState, error) {
	rows, err := db.Query(ctx, s.in(query))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (h ledger.HolderState, err error) {
		return h, row.Scan(fields(&h)...)
	})
}
