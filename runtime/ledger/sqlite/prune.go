package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// pruneChunk is how many changes are deleted in one transaction: few enough for a claim to wait no longer than for a
// slow commit.
const pruneChunk = 1000

// Prune implements ledger.Store. The file does not become smaller: the space is used again.
func (s *Store) Prune(ctx context.Context, q ledger.Query, limit int) (pruned int, err error) {
	for pruned < limit {
		// They are looked for outside of the transaction, which would otherwise last for as long as nothing is found.
		ids, looked, err := s.prunable(ctx, q, min(limit-pruned, pruneChunk))
		if err != nil {
			return pruned, err
		}
		n, err := s.pruneChanges(ctx, q, ids)
		pruned += n
		if err != nil || looked == "" {
			return pruned, err
		}
		q.After = looked
	}
	return pruned, nil
}

// prunable are the ids of the oldest changes that q would have deleted, and the id up to which it has looked for them: ""
// when there are no more behind them. Their rows are read as a whole, so that none is deleted because damage made another
// one of it. It looks at a stretch of changes at most, so that what finds little reads one state of the ledger not for long.
func (s *Store) prunable(ctx context.Context, q ledger.Query, limit int) (ids []string, looked string, err error) {
	err = s.query(ctx, "look for what to prune", func(db querier) error {
		which := dialect.ToPrune(q, selection.At(s.now()))
		if q.IDs == nil { // those are looked for one by one
			err := db.QueryRowContext(ctx, lastOfStretchSQL, q.After, s.stretch-1).Scan(&looked)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return err
			}
		}
		if looked != "" {
			which.Where("id <= ?", looked)
		}
		query, args := which.Oldest(recordColumns, q.After, limit)
		rows, err := db.QueryContext(ctx, query, args...)
		if err != nil {
			return err
		}
		return each(rows, recordFields, func(r ledger.Record) { ids = append(ids, r.ID) })
	})
	if len(ids) == limit {
		looked = ids[limit-1]
	}
	return ids, looked, err
}

// pruneChanges deletes those of the changes that q still selects, in one transaction.
func (s *Store) pruneChanges(ctx context.Context, q ledger.Query, ids []string) (pruned int, err error) {
	if len(ids) == 0 {
		return 0, nil
	}
	err = s.transact(ctx, func(ctx context.Context, at time.Time) error {
		which := dialect.ToPrune(q, selection.At(at))
		which.WhereID(ids)
		query, args := which.Select("n")
		found, err := collect(ctx, s.writer.conn, func(row *int64) []any { return []any{row} }, query, args...)
		if err != nil {
			return s.explain("look for what to prune", err)
		}
		if pruned = len(found); pruned == 0 {
			return nil // q selects none of them any more, and an account of nothing would be a write
		}
		return s.pruneRows(ctx, found)
	})
	if err != nil {
		return 0, err
	}
	return pruned, nil
}

// pruneRows deletes changes with their events, and accounts for them.
func (s *Store) pruneRows(ctx context.Context, rows []int64) error {
	var events int64
	var newest time.Time
	these := list(rows)
	err := s.writer.conn.QueryRowContext(ctx, prunedEventsSQL, these).Scan(&events, columns.Time(&newest))
	for _, statement := range []string{pruneEventsSQL, pruneChangesSQL} {
		if err == nil {
			_, err = s.writer.conn.ExecContext(ctx, statement, these)
		}
	}
	if err != nil {
		return s.explain("prune", err)
	}
	s.writer.now = s.writer.now.withPruned(events, newest).withoutEvent()
	return nil
}
