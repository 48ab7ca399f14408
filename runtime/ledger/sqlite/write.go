package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// writer is the one connection that writes, with its statements.
type writer struct {
	db                                   *sql.DB
	conn                                 *sql.Conn
	insert, swap, event, clock, setClock *sql.Stmt
	now                                  clockRow // of the ledger, in the transaction that was begun last
}

func openWriter(ctx context.Context, path string, busy time.Duration) (*writer, error) {
	db, err := openPool(path, 1, busy, nil, logged...)
	if err != nil {
		return nil, err
	}
	w := &writer{db: db}
	if w.conn, err = db.Conn(ctx); err != nil {
		return nil, errors.Join(err, w.close())
	}
	err = prepare(ctx, w.conn,
		statement{&w.insert, insertSQL}, statement{&w.swap, swapSQL}, statement{&w.event, eventSQL},
		statement{&w.clock, clockSQL}, statement{&w.setClock, setClockSQL})
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

func (w *writer) exec(ctx context.Context, query string) error {
	_, err := w.conn.ExecContext(ctx, query)
	return err
}

func (w *writer) close() error {
	if w == nil {
		return nil
	}
	failures := []error{closeStatements(w.insert, w.swap, w.event, w.clock, w.setClock)}
	if w.conn != nil {
		failures = append(failures, w.conn.Close())
	}
	return errors.Join(append(failures, w.db.Close())...)
}

// Insert implements ledger.Store.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.transact(ctx, func(ctx context.Context, at time.Time) error {
		if err := s.checkCaps(ctx, r.ID, at, caps); err != nil {
			return err
		}
		return s.insertRow(ctx, at, r, e)
	})
}

// Swap implements ledger.Store. When several hold, ErrConflict comes before ErrExpired, and that before ErrCap.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return s.transact(ctx, func(ctx context.Context, at time.Time) error {
		if err := s.swapRow(ctx, at, r, notAfter, e); err != nil {
			return err
		}
		return s.checkCaps(ctx, r.ID, at, caps)
	})
}

// SwapInsert implements ledger.Store.
func (s *Store) SwapInsert(ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event) error {
	return s.transact(ctx, func(ctx context.Context, at time.Time) error {
		if err := s.swapRow(ctx, at, old, time.Time{}, e); err != nil {
			return err
		}
		return s.insertRow(ctx, at, fresh, first)
	})
}

func (s *Store) insertRow(ctx context.Context, at time.Time, r ledger.Record, e ledger.Event) error {
	r.Revision, r.UpdatedAt = 1, at
	var row int64
	err := s.writer.insert.QueryRowContext(ctx, recordFields(&r)...).Scan(&row)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: insert %s: %w", s.path, r.ID, ledger.ErrExists)
	case isTaken(err):
		return fmt.Errorf("%s: insert %s: %w", s.path, r.ID, ledger.ErrRequested)
	case err != nil:
		return s.explain("insert "+r.ID, err)
	}
	return s.record(ctx, row, r.Revision, at, e)
}

func (s *Store) swapRow(ctx context.Context, at time.Time, r ledger.Record, notAfter time.Time, e ledger.Event) error {
	was := r.Revision
	r.Revision, r.UpdatedAt = was+1, at
	var row int64
	err := s.writer.swap.QueryRowContext(ctx, append(mutableFields(&r), r.ID, was)...).Scan(&row)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%s: update %s at revision %d: %w", s.path, r.ID, was, ledger.ErrConflict)
	case err != nil:
		return s.explain("update "+r.ID, err)
	case !notAfter.IsZero() && !at.Before(toMillisecond(notAfter)):
		return fmt.Errorf("%s: update %s: %w", s.path, r.ID, ledger.ErrExpired)
	}
	return s.record(ctx, row, r.Revision, at, e)
}

// checkCaps counts inside the transaction of the write; the record that is written is not counted.
func (s *Store) checkCaps(ctx context.Context, id string, at time.Time, caps []ledger.Cap) error {
	for _, c := range caps {
		query, args := countSQL(c.Of, at)
		if strings.Contains(query, " WHERE ") {
			query += " AND id <> ?"
		} else {
			query += " WHERE id <> ?"
		}
		var n int
		if err := s.writer.conn.QueryRowContext(ctx, query, append(args, id)...).Scan(&n); err != nil {
			return s.explain("count for a limit", err)
		}
		if n >= c.Max {
			return fmt.Errorf("%s: write %s: %w", s.path, id, &ledger.CapError{Cap: c})
		}
	}
	return nil
}

// record adds the event of a transition, which is numbered as the revision it made, and moves the clock forward.
func (s *Store) record(ctx context.Context, row, revision int64, at time.Time, e ledger.Event) error {
	e.Seq, e.At = revision, at
	if _, err := s.writer.event.ExecContext(ctx, eventFields(&eventRow{Event: e, change: row})...); err != nil {
		return s.explain("add an event", err)
	}
	s.writer.now = s.writer.now.tick(at)
	if _, err := s.writer.setClock.ExecContext(ctx, clockFields(&s.writer.now)...); err != nil {
		return s.explain("move the clock", err)
	}
	return nil
}
