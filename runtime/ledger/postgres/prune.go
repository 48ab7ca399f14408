package postgres

import (
	"context"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
)

// pruneChunk is how many changes are deleted in one transaction: few enough for a claim to wait no longer than for a slow
// commit.
const pruneChunk = 1000

// Prune implements ledger.Store. What the tables free is used again when the server has vacuumed them.
func (s *Store) Prune(ctx context.Context, q ledger.Query, limit int) (pruned int, err error) {
	for pruned < limit {
		// They are looked for outside of the transaction, which would otherwise last for as long as nothing is found.
		ids, err := s.prunable(ctx, q, min(limit-pruned, pruneChunk))
		if err != nil || len(ids) == 0 {
			return pruned, err
		}
		n, err := s.pruneChanges(ctx, q, ids)
		pruned += n
		if err != nil {
			return pruned, err
		}
		q.After = ids[len(ids)-1]
	}
	return pruned, s.checkOpen()
}

// prunable are the ids of the oldest changes that q would have deleted.
func (s *Store) prunable(ctx context.Context, q ledger.Query, limit int) (ids []string, err error) {
	err = s.readAll(ctx, "look for what to prune", func(ctx context.Context, db reader) error {
		c := s.look()
		query, args := dialect.ToPrune(q, byClock).Oldest("id", q.After, limit)
		c.add(query, storedArgs(args)...)
		query, args = c.statement(&s.options)
		rows, err := db.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		ids, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (id string, err error) { return id, row.Scan(textField{&id}) })
		if err == nil {
			_, err = s.now(ctx, db) // a newer program may have made of the ledger what this one takes for something else
		}
		return err
	})
	return ids, err
}

const (
	pruneEventsSQL  = "DELETE FROM changesetgen.events WHERE change = ANY ($1) RETURNING at"
	pruneChangesSQL = "DELETE FROM changesetgen.changes WHERE id = ANY ($1)"
	// prunedSQL remembers the newest time, so that the clock of the ledger never goes back.
	prunedSQL = "UPDATE changesetgen.ledger SET pruned = greatest(pruned, $1)"
)

// pruneChanges deletes those of the changes that q still selects, in one transaction.
func (s *Store) pruneChanges(ctx context.Context, q ledger.Query, ids []string) (pruned int, err error) {
	err = s.transact(ctx, "prune", func(ctx context.Context, tx transaction) error {
		// They are locked first: what is deleted afterwards is then all that was written of them.
		locked, err := s.lockPrunable(ctx, tx, q, ids)
		if pruned = len(locked); err != nil || pruned == 0 {
			return err
		}
		if _, err := s.now(ctx, tx); err != nil {
			return err
		}
		return s.pruneRows(ctx, tx, locked)
	})
	if err != nil {
		return 0, err
	}
	return pruned, nil
}

// pruneRows deletes changes with their events.
func (s *Store) pruneRows(ctx context.Context, tx transaction, ids []string) error {
	rows, err := tx.Query(ctx, s.in(pruneEventsSQL), ids)
	if err != nil {
		return err
	}
	times, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil {
		return err
	}
	if _, err = tx.Exec(ctx, s.in(pruneChangesSQL), ids); err == nil && len(times) > 0 {
		_, err = tx.Exec(ctx, s.in(prunedSQL), slices.Max(times))
	}
	return err
}

// lockPrunable locks those of the changes that q still selects, in the order of their ids, which it gives as they are stored.
func (s *Store) lockPrunable(ctx context.Context, tx transaction, q ledger.Query, ids []string) ([]string, error) {
	c := s.look()
	which := dialect.ToPrune(q, byClock)
	which.WhereID(ids)
	query, args := which.Select("id")
	c.add(query+" ORDER BY id FOR UPDATE", storedArgs(args)...)
	query, args = c.statement(&s.options)
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}
