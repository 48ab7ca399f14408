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

// Insert implements ledger.Store. When several hold, ErrExists comes before ErrRequested, and that before ErrCap.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.transact(ctx, func(ctx context.Context, at time.Time) error {
		row, err := s.insertRow(ctx, at, r, e)
		if err != nil {
			return err
		}
		return s.checkCaps(ctx, row, at, caps)
	})
}

// Swap implements ledger.Store. When several hold, ErrConflict comes before ErrExpired, and that before ErrCap.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return s.transact(ctx, func(ctx context.Context, at time.Time) error {
		row, err := s.swapRow(ctx, at, r, notAfter, e)
		if err != nil {
			return err
		}
		return s.checkCaps(ctx, row, at, caps)
	})
}

// SwapInsert implements ledger.Store. When several hold, the answers come in the order of Swap, and then of Insert.
func (s *Store) SwapInsert(
	ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap,
) error {
	return s.transact(ctx, func(ctx context.Context, at time.Time) error {
		if _, err := s.swapRow(ctx, at, old, time.Time{}, e); err != nil {
			return err
		}
		row, err := s.insertRow(ctx, at, fresh, first)
		if err != nil {
			return err
		}
		return s.checkCaps(ctx, row, at, caps)
	})
}

// insertRow adds a record with its first event and gives its row.
func (s *Store) insertRow(ctx context.Context, at time.Time, r ledger.Record, e ledger.Event) (row int64, err error) {
	r.Revision, r.UpdatedAt = 1, at
	err = s.writer.insert.QueryRowContext(ctx, recordFields(&r)...).Scan(&row)
	switch {
	case isTaken(err):
		return 0, s.explainTaken(ctx, r, err)
	case err != nil:
		return 0, s.explain("insert "+r.ID, err)
	}
	return row, s.record(ctx, row, r.Revision, at, e)
}

// explainTaken says which of its unique keys a record shares with another. The engine checks them in an order of its own.
func (s *Store) explainTaken(ctx context.Context, r ledger.Record, taken error) error {
	var exists, retried bool
	if err := s.writer.taken.QueryRowContext(ctx, r.ID, r.RetryOf).Scan(&exists, &retried); err != nil {
		return s.explain("insert "+r.ID, errors.Join(taken, err))
	}
	switch {
	case exists:
		return fmt.Errorf("%s: insert %s: %w", s.path, r.ID, ledger.ErrExists)
	case retried:
		return fmt.Errorf("%s: insert %s: %w: another one tries %s again", s.path, r.ID, ledger.ErrRequested, r.RetryOf)
	}
	return fmt.Errorf("%s: insert %s: %w: another one has the request id %q", s.path, r.ID, ledger.ErrRequested, r.RequestID)
}

// swapRow replaces the mutable fields of a record, adds the event of that, and gives its row.
func (s *Store) swapRow(ctx context.Context, at time.Time, r ledger.Record, notAfter time.Time, e ledger.Event) (row int64, err error) {
	was := r.Revision
	r.Revision, r.UpdatedAt = was+1, at
	err = s.writer.swap.QueryRowContext(ctx, append(mutableFields(&r), r.ID, was)...).Scan(&row)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return 0, fmt.Errorf("%s: update %s at revision %d: %w", s.path, r.ID, was, ledger.ErrConflict)
	case err != nil:
		return 0, s.explain("update "+r.ID, err)
	case !notAfter.IsZero() && !at.Before(columns.ToMillisecond(notAfter)):
		return 0, fmt.Errorf("%s: update %s: %w", s.path, r.ID, ledger.ErrExpired)
	}
	return row, s.record(ctx, row, r.Revision, at, e)
}

// checkCaps fails unless every cap has room for the record in that row, in the transaction that writes it.
func (s *Store) checkCaps(ctx context.Context, row int64, at time.Time, caps []ledger.Cap) error {
	for _, c := range caps {
		of := dialect.Of(c.Of, selection.At(at))
		of.Where("n <> ?", row) // every index knows it
		query, args := of.Room(c.Max)
		count, err := s.writer.counting(ctx, query)
		if err != nil {
			return s.explain("count for a limit", err)
		}
		var room bool
		if err := count.QueryRowContext(ctx, args...).Scan(&room); err != nil {
			return s.explain("count for a limit", err)
		}
		if !room {
			return fmt.Errorf("%s: %w", s.path, &ledger.CapError{Cap: c})
		}
	}
	return nil
}

// record adds the event of a transition, which is numbered as the revision it made, and accounts for the write.
func (s *Store) record(ctx context.Context, row, revision int64, at time.Time, e ledger.Event) error {
	e.Seq, e.At = revision, at
	if _, err := s.writer.event.ExecContext(ctx, eventFields(&eventRow{Event: e, change: row})...); err != nil {
		return s.explain("add an event", err)
	}
	return s.writeAccount(ctx, s.writer.now.withEvent(at))
}

// writeAccount writes down what the ledger has taken with the transaction that was begun.
func (s *Store) writeAccount(ctx context.Context, now account) error {
	s.writer.now = now
	if _, err := s.writer.setAccount.ExecContext(ctx, accountFields(&now)...); err != nil {
		return s.explain("account for a write", err)
	}
	return nil
}
