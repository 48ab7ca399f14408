package postgres

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/jackc/pgx/v5"
)

// querier is a connection, or a transaction on one.
type querier interface {
	Query(ctx context.Context, query string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// reader is a connection.
type reader interface {
	querier
	BeginTx(ctx context.Context, o pgx.TxOptions) (pgx.Tx, error)
}

// newest is the latest time of all events, those that were pruned too.
const newest = "(SELECT greatest(program.pruned, max(at)) FROM changesetgen.events)"

// header is what every read says first: the clocks, and whom the ledger is for.
type header struct {
	now, newest time.Time
	oldest      int64
}

const headerColumns = "clock.at, " + newest + ", program.oldest"

func (h *header) fields() []any {
	return []any{columns.Time(&h.now), columns.Time(&h.newest), &h.oldest}
}

func (h *header) clock() ledger.Clock { return ledger.Clock{Now: h.now, Newest: h.newest} }

// look is the beginning of a query that only reads.
func (o *options) look() *clause {
	var c clause
	c.add("WITH clock AS MATERIALIZED (SELECT coalesce(?::bigint, "+present+") AS at)\n", o.moment())
	return &c
}

// read has do read on a connection that nobody else uses meanwhile, and again where that was lost, or the server could not put
// what it read in an order with what others wrote: what it found then does not count. It ends with its caller's context, and is waited for no longer than a write.
func (s *Store) read(ctx context.Context, doing string, do func(ctx context.Context, db reader) error) error {
	return s.readWithin(ctx, s.patience(), doing, do)
}

// readAll is read for what goes through a whole table, which takes as long as it takes.
func (s *Store) readAll(ctx context.Context, doing string, do func(ctx context.Context, db reader) error) error {
	return s.readWithin(ctx, math.MaxInt64, doing, do)
}

func (s *Store) readWithin(ctx context.Context, limit time.Duration, doing string, do func(ctx context.Context, db reader) error) error {
	if err := s.checkOpen(); err != nil {
		return err
	}
	for until := time.Now().Add(s.busyTimeout); ; {
		conn, err := s.acquire(ctx, s.pool, doing)
		if err != nil {
			return err
		}
		bounded, cancel := context.WithTimeout(ctx, limit)
		err = do(bounded, conn)
		cancel()
		again := conn.Conn().IsClosed() || comesAgain(err)
		conn.Release()
		if err == nil || !again || ctx.Err() != nil || time.Now().After(until) {
			return s.explainRead(ctx, doing, err)
		}
	}
}

// explainRead is explain for a read, which is over when its caller has left.
func (s *Store) explainRead(ctx context.Context, doing string, err error) error {
	if err != nil && ctx.Err() != nil {
		return s.explain(doing, ctx.Err())
	}
	if err == nil || isAnswer(err) {
		return err
	}
	return s.explain(doing, err)
}

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, id string) (r ledger.Record, clock ledger.Clock, err error) {
	if err := s.unsure.settle(ctx, s, id); err != nil {
		return ledger.Record{}, ledger.Clock{}, err
	}
	err = s.read(ctx, "read "+id, func(ctx context.Context, db reader) error {
		r, clock, err = s.get(ctx, db, id)
		return err
	})
	return r, clock, err
}

// get reads a record and the clock in one statement, so that both are of one moment.
func (s *Store) get(ctx context.Context, db querier, id string) (ledger.Record, ledger.Clock, error) {
	var r ledger.Record
	var h header
	c := s.look()
	c.add("SELECT "+headerColumns+", "+recordColumns+" FROM clock CROSS JOIN changesetgen.ledger AS program CROSS JOIN changesetgen.changes WHERE id = ?", stored(id))
	query, args := c.statement(&s.options)
	err := db.QueryRow(ctx, query, args...).Scan(append(h.fields(), scanned(recordFields(&r))...)...)
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		clock, err := s.now(ctx, db)
		if err == nil {
			err = fmt.Errorf("%s: read %s: %w", s, id, ledger.ErrNotFound)
		}
		return ledger.Record{}, clock, err
	case err != nil:
		return ledger.Record{}, ledger.Clock{}, s.explainRow("read "+id, err)
	}
	return r, h.clock(), s.verifyOldest(h.oldest)
}

// explainRow makes damage of what is no error of the server: what a row says cannot be read, or the one about the ledger itself
// is not there.
func (o *options) explainRow(doing string, err error) error {
	var scan pgx.ScanArgError
	switch {
	case errors.As(err, &scan):
		return o.corrupt("%s: %v; somebody has changed its rows: restore a backup", doing, err)
	case errors.Is(err, pgx.ErrNoRows):
		return o.corrupt("%s: somebody has deleted the row of its table ledger: restore a backup", doing)
	}
	return err
}

// Now implements ledger.Store.
func (s *Store) Now(ctx context.Context) (clock ledger.Clock, err error) {
	err = s.read(ctx, "read the clock", func(ctx context.Context, db reader) error {
		clock, err = s.now(ctx, db)
		return err
	})
	return clock, err
}

func (s *Store) now(ctx context.Context, db querier) (ledger.Clock, error) {
	var h header
	c := s.look()
	c.add("SELECT " + headerColumns + " FROM clock CROSS JOIN changesetgen.ledger AS program")
	query, args := c.statement(&s.options)
	if err := db.QueryRow(ctx, query, args...).Scan(h.fields()...); err != nil {
		return ledger.Clock{}, s.explainRow("read the clock", err)
	}
	return h.clock(), s.verifyOldest(h.oldest)
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, q ledger.Query) (records []ledger.Record, err error) {
	err = s.read(ctx, "list changes", func(ctx context.Context, db reader) error {
		records = nil
		c := s.look()
		query, args := selected(q).Page(recordColumns, q)
		c.add(query, storedArgs(args)...)
		query, args = c.statement(&s.options)
		rows, err := db.Query(ctx, query, args...)
		if err != nil {
			return err
		}
		if records, err = s.collect(rows); err != nil {
			return err
		}
		_, err = s.now(ctx, db) // a newer program may have made of the ledger what this one takes for something else
		return err
	})
	return records, err
}

// collect gives the records of rows up to one that is damaged.
func (s *Store) collect(rows pgx.Rows) (records []ledger.Record, err error) {
	defer rows.Close()
	for rows.Next() {
		var r ledger.Record
		if err := rows.Scan(scanned(recordFields(&r))...); err != nil {
			return records, &ledger.DamagedError{ID: r.ID, Err: s.explainRow("read "+r.ID, err)}
		}
		records = append(records, r)
	}
	return records, rows.Err()
}

// Count implements ledger.Store.
func (s *Store) Count(ctx context.Context, q ledger.Query) (n int, err error) {
	err = s.read(ctx, "count changes", func(ctx context.Context, db reader) error {
		c := s.look()
		query, args := selected(q).Select("count(*)")
		c.add("SELECT ("+query+"), oldest FROM changesetgen.ledger", storedArgs(args)...)
		var oldest int64
		query, args = c.statement(&s.options)
		if err := db.QueryRow(ctx, query, args...).Scan(&n, &oldest); err != nil {
			return s.explainRow("count changes", err)
		}
		return s.verifyOldest(oldest)
	})
	return n, err
}

// Events implements ledger.Store.
func (s *Store) Events(ctx context.Context, id string) (events []ledger.Event, err error) {
	err = s.read(ctx, "read the events of "+id, func(ctx context.Context, db reader) error {
		var oldest int64
		var e ledger.Event
		events = nil
		rows, err := db.Query(ctx, s.in("SELECT program.oldest, "+columns.Event+" FROM changesetgen.events CROSS JOIN changesetgen.ledger AS program "+
			"WHERE change = $1 ORDER BY seq"), stored(id))
		if err != nil {
			return err
		}
		_, err = pgx.ForEachRow(rows, append([]any{&oldest}, scanned(columns.EventOf(&e))...), func() error {
			events = append(events, e)
			return s.verifyOldest(oldest)
		})
		return s.explainRow("read the events of "+id, err)
	})
	return events, err
}
