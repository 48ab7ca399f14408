package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
)

// Check looks at all of a ledger: its files, every page, every row with its check sum, whether the events of each change
// are all there, and whether the account fits them. It tells what is wrong, each in a sentence; nothing if it is sound.
// An error says that it could not look. Nobody waits for it. It reads its pages and its account in one state of the ledger,
// and its rows as they are when their turn comes.
func (s *Store) Check(ctx context.Context) (faults []string, err error) {
	done, err := s.read()
	if err != nil {
		return nil, err
	}
	defer done()
	// Before the state that is read is fixed: a mark of later may say more than that.
	known, err := readMark(s.path)
	if err != nil {
		return nil, unavailable(s.path, "read "+s.path+markEnding, err)
	}
	c := checker{path: s.path, looks: s.looks, known: known, objects: s.checkObjects, stretch: s.stretch}
	c.Tell(s.altered)
	c.Tell(checkFiles(s.path))
	c.Tell(s.place.check())
	if err := s.checkWith(ctx, &c); err != nil {
		return nil, s.explainRead(ctx, "check", err)
	}
	return c.Told(), nil
}

// checkWith fails when it cannot look, and when a newer program has made something else of the ledger meanwhile.
func (s *Store) checkWith(ctx context.Context, c *checker) error {
	err := s.inOneState(ctx, func(db querier) error { return c.look(ctx, db, c.schema, c.structure, c.account) })
	if err == nil {
		err = c.look(ctx, s.readers.db, c.changes, c.events, c.belongings)
	}
	if err != nil {
		return err
	}
	if now, err := readAccount(ctx, s.readers.db); err == nil { // else it was told
		return s.verifySchema(now)
	}
	return nil
}

// inOneState has the ledger looked at in one state of it. The transaction does not end with ctx: database/sql would end it behind
// a caller who left, and its connection might outlast that of who writes.
func (s *Store) inOneState(ctx context.Context, look func(db querier) error) error {
	conn, err := s.readers.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }() // says only that it is gone
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // it only reads
	return look(tx)
}

// checker collects what is wrong.
type checker struct {
	path    string
	looks   bool // by who makes nothing
	known   mark // read before
	objects look
	stretch int64
	upkeep.Faults
}

// look makes looks, and fails when it cannot.
func (c *checker) look(ctx context.Context, db querier, looks ...look) error {
	for _, l := range looks {
		err := l(ctx, db)
		if ctx.Err() != nil {
			return ctx.Err() // what was found is a part
		}
		if err != nil && !isOfContent(ctx, err) {
			return err
		}
		c.Tell(err)
	}
	return nil
}

// schema looks at the tables and indexes.
func (c *checker) schema(ctx context.Context, db querier) error {
	err := c.objects(ctx, db)
	if errors.Is(err, ledger.ErrCorrupt) {
		c.Tell(err)
		return nil
	}
	return err
}

// structure looks at the pages and the indexes.
func (c *checker) structure(ctx context.Context, db querier) error {
	return c.tellAll(ctx, db, "structure", faultsOfStructureSQL)
}

// account looks whether the account fits, and whether the mark and the key do.
func (c *checker) account(ctx context.Context, db querier) error {
	a, err := readAccount(ctx, db)
	if err != nil {
		return fmt.Errorf("the account: %w", err)
	}
	if a.writes < c.known.writes {
		c.Tell(missing(c.path, a.writes, c.known.writes))
	}
	if err := c.key(ctx, db, a.key); err != nil {
		return err
	}
	var fits bool
	if err := db.QueryRowContext(ctx, accountFitsSQL).Scan(&fits); err != nil {
		return fmt.Errorf("the account: %w", err)
	}
	if !fits {
		c.Tell(errAccount)
	}
	return nil
}

var errAccount = errors.New("the account does not fit the changes and events, some of which may be missing")

// key looks whether the key is there if it is needed, and is the one with the fingerprint.
func (c *checker) key(ctx context.Context, db querier, fingerprint []byte) error {
	if fingerprint == nil {
		return nil
	}
	_, err := readKey(c.path, fingerprint)
	if !errors.Is(err, fs.ErrNotExist) {
		c.Tell(err)
		return nil
	}
	var needed bool
	if err := db.QueryRowContext(ctx, needsKeySQL).Scan(&needed); err != nil {
		return fmt.Errorf("the key: %w", err)
	}
	switch {
	case needed && c.looks:
		c.Tell(unseenKey(c.path))
	case needed:
		c.Tell(missingKey(c.path))
	}
	return nil
}

// changes looks at each row.
func (c *checker) changes(ctx context.Context, db querier) error {
	return c.sums(ctx, db, "change", nextChangeSQL, changesOfSQL, func() ([]any, func() string) {
		var n int64
		var r ledger.Record
		return append([]any{&n}, recordFields(&r)...), func() string { return fmt.Sprintf("change %s in row %d", r.ID, n) }
	})
}

// events looks at each row.
func (c *checker) events(ctx context.Context, db querier) error {
	return c.sums(ctx, db, "event", nextEventSQL, eventsOfSQL, func() ([]any, func() string) {
		var e eventRow
		return eventFields(&e), func() string { return eventName(&e) }
	})
}

// belongings looks whether each event has its change, and each change its events.
func (c *checker) belongings(ctx context.Context, db querier) error {
	if err := c.tellOfStretches(ctx, db, "event without its change", nextEventSQL, faultsOfEventsSQL); err != nil {
		return err
	}
	return c.tellOfStretches(ctx, db, "number of events", nextChangeSQL, faultsOfHistorySQL)
}

// sums reads rows, in stretches, and tells which ones are not as they were written.
func (c *checker) sums(ctx context.Context, db querier, what, next, query string, row func() (fields []any, name func() string)) error {
	kind := c.Kind(what)
	defer kind.End()
	err := eachStretch(ctx, db, c.stretch, next, func(first, last int64) error {
		rows, err := db.QueryContext(ctx, query, first, last)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }() // what it may say, Err says too
		for rows.Next() {
			fields, name := row()
			if err := rows.Scan(fields...); err != nil {
				kind.Tell(fmt.Sprintf("%s: %v", name(), err))
			}
		}
		return rows.Err()
	})
	if err != nil {
		return fmt.Errorf("each %s: %w", what, err)
	}
	return nil
}

// tellOfStretches tells each text that a query about a stretch of rows gives, of one kind.
func (c *checker) tellOfStretches(ctx context.Context, db querier, what, next, query string) error {
	kind := c.Kind(what)
	defer kind.End()
	return eachStretch(ctx, db, c.stretch, next, func(first, last int64) error {
		faults, err := collect(ctx, db, func(fault *string) []any { return []any{fault} }, query, first, last)
		for _, fault := range faults {
			kind.Tell(fault)
		}
		return err
	})
}

// tellAll tells each text that a query gives, of one kind.
func (c *checker) tellAll(ctx context.Context, db querier, what, query string) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	kind := c.Kind(what)
	defer kind.End()
	return each(rows, func(fault *string) []any { return []any{fault} }, func(fault string) {
		if fault != "ok" {
			kind.Tell(fault)
		}
	})
}
