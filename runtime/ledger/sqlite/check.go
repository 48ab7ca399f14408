package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
)

// Check looks at all of a ledger: its files, every page, every row with its check sum, whether the events of each change
// are all there, and whether the account fits them. It tells what is wrong, each in a sentence; nothing if it is sound.
// An error says that it could not look. It reads one state of the ledger, and nobody waits for it.
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
	tx, err := s.readers.db.BeginTx(ctx, nil)
	if err != nil {
		return nil, s.explainRead(ctx, "check", err)
	}
	defer func() { _ = tx.Rollback() }()              // it only reads
	if now, err := readAccount(ctx, tx); err == nil { // else it is told below
		if err := s.verifySchema(now); err != nil {
			return nil, err
		}
	}
	c := checker{path: s.path, looks: s.looks, known: known, objects: s.checkObjects}
	c.Tell(s.altered)
	c.Tell(checkFiles(s.path))
	c.Tell(s.place.check())
	if err := c.checkContent(ctx, tx); err != nil {
		return nil, s.explainRead(ctx, "check", err)
	}
	return c.Told(), nil
}

// checker collects what is wrong.
type checker struct {
	path    string
	looks   bool // by who makes nothing
	known   mark // read before
	objects look
	upkeep.Faults
}

// checkContent fails when it cannot look.
func (c *checker) checkContent(ctx context.Context, tx *sql.Tx) error {
	for _, check := range []func(context.Context, *sql.Tx) error{
		c.schema, c.structure, c.account, c.changes, c.events, c.belongings,
	} {
		err := check(ctx, tx)
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
func (c *checker) schema(ctx context.Context, tx *sql.Tx) error {
	err := c.objects(ctx, tx)
	if errors.Is(err, ledger.ErrCorrupt) {
		c.Tell(err)
		return nil
	}
	return err
}

// structure looks at the pages and the indexes.
func (c *checker) structure(ctx context.Context, tx *sql.Tx) error {
	return c.tellAll(ctx, tx, "structure", faultsOfStructureSQL)
}

// account looks whether the account fits, and whether the mark and the key do.
func (c *checker) account(ctx context.Context, tx *sql.Tx) error {
	a, err := readAccount(ctx, tx)
	if err != nil {
		return fmt.Errorf("the account: %w", err)
	}
	if a.writes < c.known.writes {
		c.Tell(missing(c.path, a.writes, c.known.writes))
	}
	if err := c.key(ctx, tx, a.key); err != nil {
		return err
	}
	var fits bool
	if err := tx.QueryRowContext(ctx, accountFitsSQL).Scan(&fits); err != nil {
		return fmt.Errorf("the account: %w", err)
	}
	if !fits {
		c.Tell(errAccount)
	}
	return nil
}

var errAccount = errors.New("the account does not fit the changes and events, some of which may be missing")

// key looks whether the key is there if it is needed, and is the one with the fingerprint.
func (c *checker) key(ctx context.Context, tx *sql.Tx, fingerprint []byte) error {
	if fingerprint == nil {
		return nil
	}
	_, err := readKey(c.path, fingerprint)
	if !errors.Is(err, fs.ErrNotExist) {
		c.Tell(err)
		return nil
	}
	var needed bool
	if err := tx.QueryRowContext(ctx, needsKeySQL).Scan(&needed); err != nil {
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
func (c *checker) changes(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, everyChangeSQL)
	if err != nil {
		return fmt.Errorf("the changes: %w", err)
	}
	return c.sums(rows, "change", func() ([]any, func() string) {
		var n int64
		var r ledger.Record
		return append([]any{&n}, recordFields(&r)...), func() string { return fmt.Sprintf("change %s in row %d", r.ID, n) }
	})
}

// events looks at each row.
func (c *checker) events(ctx context.Context, tx *sql.Tx) error {
	rows, err := tx.QueryContext(ctx, everyEventSQL)
	if err != nil {
		return fmt.Errorf("the events: %w", err)
	}
	return c.sums(rows, "event", func() ([]any, func() string) {
		var e eventRow
		return eventFields(&e), func() string { return eventName(&e) }
	})
}

// belongings looks whether each event has its change, and each change its events.
func (c *checker) belongings(ctx context.Context, tx *sql.Tx) error {
	if err := c.tellAll(ctx, tx, "event without its change", faultsOfEventsSQL); err != nil {
		return err
	}
	return c.tellAll(ctx, tx, "number of events", faultsOfHistorySQL)
}

// sums reads rows and tells which ones are not as they were written. It closes them.
func (c *checker) sums(rows *sql.Rows, what string, row func() (fields []any, name func() string)) error {
	defer func() { _ = rows.Close() }() // what it may say, Err says too
	kind := c.Kind(what)
	defer kind.End()
	for rows.Next() {
		fields, name := row()
		if err := rows.Scan(fields...); err != nil {
			kind.Tell(fmt.Sprintf("%s: %v", name(), err))
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("each %s: %w", what, err)
	}
	return nil
}

// tellAll tells each text that a query gives, of one kind.
func (c *checker) tellAll(ctx context.Context, tx *sql.Tx, what, query string) error {
	rows, err := tx.QueryContext(ctx, query)
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
