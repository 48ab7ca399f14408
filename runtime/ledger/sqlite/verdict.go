package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// nowhere is no row: the engine numbers them from one.
const nowhere = 0

// judge tells whether anything but its caps is against a write, and gives the row of the record that it moves. It writes
// nothing.
func (s *Store) judge(ctx context.Context, w *write, at time.Time) (row int64, refused, failed error) {
	if w.moved != nil {
		row, refused, failed = s.judgeMove(ctx, w.moved, at)
	}
	if w.added != nil && refused == nil && failed == nil {
		refused, failed = s.judgeAddition(ctx, &w.added.record)
	}
	return row, refused, failed
}

// judgeMove gives the row of a record that is as its caller has seen it, and in time.
func (s *Store) judgeMove(ctx context.Context, m *transition, at time.Time) (row int64, refused, failed error) {
	id := m.record.ID
	err := s.writer.find.QueryRowContext(ctx, id, m.record.Revision).Scan(&row)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, fmt.Errorf("%s: update %s at revision %d: %w", s.path, id, m.record.Revision, ledger.ErrConflict), nil
	case err != nil:
		return 0, nil, s.explain("update "+id, err)
	case !m.notAfter.IsZero() && !at.Before(columns.ToMillisecond(m.notAfter)):
		return 0, fmt.Errorf("%s: update %s: %w", s.path, id, ledger.ErrExpired), nil
	}
	return row, nil, nil
}

// judgeAddition tells which of the keys that must be its own a record shares with another.
func (s *Store) judgeAddition(ctx context.Context, r *ledger.Record) (refused, failed error) {
	var exists, retried, requested bool
	err := s.writer.taken.QueryRowContext(ctx, r.ID, r.RetryOf, r.RequestID, r.Server, r.Operation, r.Scope, r.Caller).
		Scan(&exists, &retried, &requested)
	switch {
	case err != nil:
		return nil, s.explain("insert "+r.ID, err)
	case exists:
		return fmt.Errorf("%s: insert %s: %w", s.path, r.ID, ledger.ErrExists), nil
	case retried:
		return fmt.Errorf("%s: insert %s: %w: another one tries %s again", s.path, r.ID, ledger.ErrRequested, r.RetryOf), nil
	case requested:
		return fmt.Errorf("%s: insert %s: %w: another one has the request id %q", s.path, r.ID, ledger.ErrRequested, r.RequestID), nil
	}
	return nil, nil
}

// judgeCaps refuses unless every cap has room for one more record, besides the one in that row.
func (s *Store) judgeCaps(ctx context.Context, caps []ledger.Cap, row int64, at time.Time) (refused, failed error) {
	for _, c := range caps {
		of := dialect.Of(c.Of, selection.At(at))
		of.Where("n <> ?", row) // every index knows it
		query, args := of.Room(c.Max)
		count, err := s.writer.counting(ctx, query)
		if err != nil {
			return nil, s.explain("count for a limit", err)
		}
		var room bool
		if err := count.QueryRowContext(ctx, args...).Scan(&room); err != nil {
			return nil, s.explain("count for a limit", err)
		}
		if !room {
			return fmt.Errorf("%s: %w", s.path, &ledger.CapError{Cap: c}), nil
		}
	}
	return nil, nil
}

// errLost says that a row was there a moment ago, in the same transaction.
var errLost = errors.New("its row is not what it was a moment ago")

// expectOne fails unless exactly one row was changed.
func expectOne(done sql.Result) error {
	changed, err := done.RowsAffected()
	if err == nil && changed != 1 {
		err = errLost
	}
	return err
}
