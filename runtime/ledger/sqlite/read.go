package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// readConnections is how many reads run at once; they do not wait for the writer.
const readConnections = 4

// readers are the connections that can only read, with their statements.
type readers struct {
	db                       *sql.DB
	get, now, events, claims *sql.Stmt
}

func openReaders(ctx context.Context, path string, busy time.Duration) (*readers, error) {
	db, err := openPool(path, readConnections, busy, readOnly, logged...)
	if err != nil {
		return nil, err
	}
	r := &readers{db: db}
	err = prepare(ctx, db,
		statement{&r.get, getSQL}, statement{&r.now, accountSQL}, statement{&r.events, eventsSQL}, statement{&r.claims, openClaimsSQL})
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *readers) close() error {
	if r == nil {
		return nil
	}
	return errors.Join(closeStatements(r.get, r.now, r.events, r.claims), r.db.Close())
}

// read keeps the store open until done is called. A read must not begin another one.
func (s *Store) read() (done func(), err error) {
	s.reading.RLock()
	select {
	case <-s.closed:
		s.reading.RUnlock()
		return nil, s.errClosed()
	default:
		return s.reading.RUnlock, nil
	}
}

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	done, err := s.read()
	if err != nil {
		return ledger.Record{}, ledger.Clock{}, err
	}
	defer done()
	var r ledger.Record
	var c account
	err = s.readers.get.QueryRowContext(ctx, id).Scan(append(accountFields(&c), recordFields(&r)...)...)
	if errors.Is(err, sql.ErrNoRows) {
		clock, err := s.readClock(ctx)
		if err != nil {
			return ledger.Record{}, ledger.Clock{}, err
		}
		return ledger.Record{}, clock, fmt.Errorf("%s: read %s: %w", s.path, id, ledger.ErrNotFound)
	}
	if err != nil {
		return ledger.Record{}, ledger.Clock{}, s.explainRead(ctx, "read "+id, err)
	}
	return r, ledger.Clock{Now: s.now(), Newest: c.newest}, nil
}

// Now implements ledger.Store.
func (s *Store) Now(ctx context.Context) (ledger.Clock, error) {
	done, err := s.read()
	if err != nil {
		return ledger.Clock{}, err
	}
	defer done()
	return s.readClock(ctx)
}

// readClock is Now for a read that has begun.
func (s *Store) readClock(ctx context.Context) (ledger.Clock, error) {
	var c account
	if err := s.readers.now.QueryRowContext(ctx).Scan(accountFields(&c)...); err != nil {
		return ledger.Clock{}, s.explainRead(ctx, "read the clock", err)
	}
	return ledger.Clock{Now: s.now(), Newest: c.newest}, nil
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	done, err := s.read()
	if err != nil {
		return nil, err
	}
	defer done()
	query, args := listSQL(q, s.now())
	rows, err := s.readers.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, s.explainRead(ctx, "list changes", err)
	}
	records, err := collect(rows, recordFields)
	if err != nil {
		return nil, s.explainRead(ctx, "list changes", err)
	}
	return records, nil
}

// Count implements ledger.Store.
func (s *Store) Count(ctx context.Context, q ledger.Query) (n int, err error) {
	done, err := s.read()
	if err != nil {
		return 0, err
	}
	defer done()
	query, args := countSQL(q, s.now())
	if err := s.readers.db.QueryRowContext(ctx, query, args...).Scan(&n); err != nil {
		return 0, s.explainRead(ctx, "count changes", err)
	}
	return n, nil
}

// Events implements ledger.Store.
func (s *Store) Events(ctx context.Context, id string) ([]ledger.Event, error) {
	done, err := s.read()
	if err != nil {
		return nil, err
	}
	defer done()
	rows, err := s.readers.events.QueryContext(ctx, id)
	if err != nil {
		return nil, s.explainRead(ctx, "read the events of "+id, err)
	}
	found, err := collect(rows, eventFields)
	if err != nil {
		return nil, s.explainRead(ctx, "read the events of "+id, err)
	}
	var events []ledger.Event
	for _, e := range found {
		events = append(events, e.Event)
	}
	return events, nil
}

// openClaims counts the claims of a holder that are not settled.
func (s *Store) openClaims(ctx context.Context, holder string) (n int, err error) {
	done, err := s.read()
	if err != nil {
		return 0, err
	}
	defer done()
	if err := s.readers.claims.QueryRowContext(ctx, holder).Scan(&n); err != nil {
		return 0, s.explainRead(ctx, "look for open claims of "+holder, err)
	}
	return n, nil
}

// collect reads all rows into values with the given fields, and closes rows.
func collect[T any](rows *sql.Rows, fields func(*T) []any) (all []T, err error) {
	err = each(rows, fields, func(value T) { all = append(all, value) })
	return all, err
}

// each reads rows, one after the other, and closes them.
func each[T any](rows *sql.Rows, fields func(*T) []any, do func(T)) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var value T
		if err := rows.Scan(fields(&value)...); err != nil {
			return err
		}
		do(value)
	}
	return rows.Err()
}

// explainRead is explain for a read, which ends with its caller's context.
func (s *Store) explainRead(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return s.explain(doing, ctx.Err())
	}
	return explainRows(s.path, doing, err)
}
