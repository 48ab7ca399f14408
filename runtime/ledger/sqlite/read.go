package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// readConnections is how many reads run at once; they do not wait for the writer.
const readConnections = 4

// readers are the connections that can only read, with their statements.
type readers struct {
	db                           *sql.DB
	asked                        *asked
	get, account, events, claims *sql.Stmt
}

func openReaders(ctx context.Context, path string, busy time.Duration, a access) (*readers, error) {
	db, err := openPool(path, readConnections, busy, a.toRead, a.pragmas...)
	if err != nil {
		return nil, err
	}
	r := &readers{db: db, asked: newAsked(db)}
	err = prepare(ctx, db,
		statement{&r.get, getSQL}, statement{&r.account, accountSQL}, statement{&r.events, eventsSQL}, statement{&r.claims, openClaimsSQL})
	if err != nil {
		return nil, errors.Join(err, r.close())
	}
	return r, nil
}

func (r *readers) close() error {
	if r == nil {
		return nil
	}
	return errors.Join(closeStatements(r.get, r.account, r.events, r.claims), r.asked.close(), r.db.Close())
}

// read keeps the store open until done is called. A read must not begin another one.
func (s *Store) read() (done func(), err error) {
	if s.isClosed() { // Close may be waiting for a read that lasts, and whoever comes would wait for that too
		return nil, s.errClosed()
	}
	s.reading.RLock()
	if s.isClosed() {
		s.reading.RUnlock()
		return nil, s.errClosed()
	}
	return s.reading.RUnlock, nil
}

// query runs a read that does not tell the account. What a newer program has made of the ledger by then may not be what
// this one takes it for, so that is asked afterwards.
func (s *Store) query(ctx context.Context, doing string, read func(db querier) error) error {
	done, err := s.read()
	if err != nil {
		return err
	}
	defer done()
	if err := read(s.readers.asked); err != nil {
		return s.explainRead(ctx, doing, err)
	}
	_, err = s.readClock(ctx)
	return err
}

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	done, err := s.read()
	if err != nil {
		return ledger.Record{}, ledger.Clock{}, err
	}
	defer done()
	var r ledger.Record
	var a account
	err = s.readers.get.QueryRowContext(ctx, id).Scan(append(accountFields(&a), recordFields(&r)...)...)
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
	if err := s.verifySchema(a); err != nil {
		return ledger.Record{}, ledger.Clock{}, err
	}
	return r, ledger.Clock{Now: s.now(), Newest: a.newest}, nil
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
	var a account
	if err := s.readers.account.QueryRowContext(ctx).Scan(accountFields(&a)...); err != nil {
		return ledger.Clock{}, s.explainRead(ctx, "read the account", err)
	}
	if err := s.verifySchema(a); err != nil {
		return ledger.Clock{}, err
	}
	return ledger.Clock{Now: s.now(), Newest: a.newest}, nil
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, q ledger.Query) (records []ledger.Record, err error) {
	var latest *ledger.Record // that was begun to be read
	begin := func(r *ledger.Record) []any {
		latest = r
		return recordFields(r)
	}
	err = s.query(ctx, "list changes", func(db querier) (err error) {
		query, args := dialect.Of(q, selection.At(s.now())).Page(recordColumns, q)
		records, err = collect(ctx, db, begin, query, args...)
		return err
	})
	unread := latest != nil && (len(records) == 0 || records[len(records)-1].ID != latest.ID)
	if unread && errors.Is(err, ledger.ErrCorrupt) {
		err = &ledger.DamagedError{ID: s.known(ctx, latest.ID), Err: err}
	}
	return records, err
}

// known is the id if there is a change of it, by the index and by its row, and "" if one of them is damaged: the change is
// then not where the id says.
func (s *Store) known(ctx context.Context, id string) string {
	var both bool
	err := s.query(ctx, "look for "+id, func(db querier) error {
		return db.QueryRowContext(ctx, knownSQL, id, id).Scan(&both)
	})
	if err != nil || !both {
		return ""
	}
	return id
}

// Count implements ledger.Store.
func (s *Store) Count(ctx context.Context, q ledger.Query) (n int, err error) {
	err = s.query(ctx, "count changes", func(db querier) error {
		query, args := dialect.Of(q, selection.At(s.now())).Select("count(*)")
		return db.QueryRowContext(ctx, query, args...).Scan(&n)
	})
	return n, err
}

// Events implements ledger.Store.
func (s *Store) Events(ctx context.Context, id string) (events []ledger.Event, err error) {
	err = s.query(ctx, "read the events of "+id, func(querier) error {
		rows, err := s.readers.events.QueryContext(ctx, id)
		if err != nil {
			return err
		}
		return each(rows, eventFields, func(e eventRow) { events = append(events, e.Event) })
	})
	return events, err
}

// openClaims counts the claims of a holder that are not settled.
func (s *Store) openClaims(ctx context.Context, holder string) (n int, err error) {
	err = s.query(ctx, "look for open claims of "+holder, func(querier) error {
		return s.readers.claims.QueryRowContext(ctx, holder).Scan(&n)
	})
	return n, err
}

// collect gives the rows of a query as values with the given fields.
func collect[T any](ctx context.Context, db querier, fields func(*T) []any, query string, args ...any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
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

// explainRead is explain for a read, which ends with its caller's context. One that fails because a newer program has
// changed the schema is no damage.
func (s *Store) explainRead(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return s.explain(doing, ctx.Err())
	}
	if now, err := readAccount(ctx, s.readers.db); err == nil {
		if err := s.verifySchema(now); err != nil {
			return err
		}
	}
	return explainRows(ctx, s.path, doing, err)
}
