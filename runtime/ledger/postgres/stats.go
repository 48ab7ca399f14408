package postgres

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/jackc/pgx/v5"
)

// Stats is how much a ledger holds and takes.
type Stats struct {
	Groups []ledger.Group `json:"groups"` // by server, operation and status, in that order; none in an empty ledger
	Bytes  int64          `json:"bytes"`  // size of its tables and indexes, with what was pruned and will be used again
}

const (
	// groupsSQL counts changes by what they are at a time, with the times of the oldest and the newest. A clock that went back
	// brings nothing back.
	groupsSQL = `
SELECT server, operation, CASE WHEN status = 'pending' AND expires_at <= moment.at THEN 'expired' ELSE status END AS stands,
	count(*), min(created_at), max(created_at)
FROM changesetgen.changes CROSS JOIN
	(SELECT greatest(clock.at, ` + newest + `) AS at FROM clock CROSS JOIN changesetgen.ledger AS program) AS moment
GROUP BY server, operation, stands ORDER BY server, operation, stands`

	sizeSQL = "SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_catalog.pg_class AS c " +
		"JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'"
)

// Stats counts what the ledger holds. It reads all changes, but not what is in them. A pending change whose time is over
// counts as expired.
func (s *Store) Stats(ctx context.Context) (stats Stats, err error) {
	err = s.readAll(ctx, "count and measure", func(ctx context.Context, db reader) error {
		if _, err := s.accountOf(ctx, db); err != nil {
			return err
		}
		if err := db.QueryRow(ctx, sizeSQL, s.schema).Scan(&stats.Bytes); err != nil {
			return err
		}
		c := s.look()
		c.add(groupsSQL)
		query, args := c.statement(&s.options)
		rows, err := db.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		stats.Groups, err = pgx.CollectRows(rows, scanGroup)
		return err
	})
	return stats, err
}

func scanGroup(row pgx.CollectableRow) (g ledger.Group, err error) {
	fields := []any{&g.Server, &g.Operation, &g.Status, &g.Changes, columns.Time(&g.Oldest), columns.Time(&g.Newest)}
	return g, row.Scan(scanned(fields)...)
}
