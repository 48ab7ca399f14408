package postgres

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/upkeep"
	"github.com/jackc/pgx/v5"
)

// What Check looks for; each gives a text for each fault.
const (
	strayEventsSQL = "SELECT 'events: ' || count(*) || ' are of a change that is not there (' || change || ')' FROM changesetgen.events AS e " +
		"WHERE NOT EXISTS (SELECT FROM changesetgen.changes AS c WHERE c.id = e.change) GROUP BY change ORDER BY change"
	historiesSQL = "SELECT 'change ' || id || ': it is at revision ' || revision || ' and has ' || count(seq) || ' events' " +
		"FROM changesetgen.changes LEFT JOIN changesetgen.events ON change = id GROUP BY id, revision " +
		"HAVING count(seq) <> revision OR max(seq) <> revision OR min(seq) <> 1 ORDER BY id"
	everyChangeSQL = "SELECT " + recordColumns + " FROM changesetgen.changes ORDER BY id"
	everyEventSQL  = "SELECT change, " + columns.Event + " FROM changesetgen.events ORDER BY change, seq"
)

// Check looks at all of a ledger: its tables and what belongs to them, every row, and whether the events of each change are
// all there. It tells what is wrong, each in a sentence; nothing if it is sound. An error says that it could not look. It
// reads one state of the ledger, and nobody waits for it. The pages of the server are for its own tools, such as pg_amcheck.
func (s *Store) Check(ctx context.Context) (told []string, err error) {
	var faults upkeep.Faults
	err = s.readAll(ctx, "check", func(ctx context.Context, db reader) error {
		faults = upkeep.Faults{}
		return s.check(ctx, db, &faults)
	})
	return faults.Told(), err
}

func (s *Store) check(ctx context.Context, db reader, faults *upkeep.Faults) error {
	tx, err := db.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // it only reads
	now, err := s.accountOf(ctx, tx)
	if err == nil {
		err = s.verifyOldest(now.oldest)
	}
	if err != nil {
		return err
	}
	got, err := s.objects(ctx, tx)
	if err != nil {
		return err
	}
	faults.Tell(s.changed(now.objects, got))
	for _, look := range []func(context.Context, transaction, *upkeep.Faults) error{s.checkChanges, s.checkEvents, s.checkHistories} {
		if err := look(ctx, tx, faults); err != nil {
			return err
		}
	}
	return nil
}

// checkChanges reads each change.
func (s *Store) checkChanges(ctx context.Context, tx transaction, faults *upkeep.Faults) error {
	return s.eachRow(ctx, tx, faults.Kind("change"), everyChangeSQL, func(rows pgx.Rows) (string, error) {
		var r ledger.Record
		err := scanAll(rows, scanned(recordFields(&r)))
		return "change " + r.ID, err
	})
}

// checkEvents reads each event.
func (s *Store) checkEvents(ctx context.Context, tx transaction, faults *upkeep.Faults) error {
	return s.eachRow(ctx, tx, faults.Kind("event"), everyEventSQL, func(rows pgx.Rows) (string, error) {
		var id string
		var e ledger.Event
		err := scanAll(rows, scanned(append([]any{&id}, columns.EventOf(&e)...)))
		return fmt.Sprintf("event %d of change %s", e.Seq, id), err
	})
}

// eachRow reads rows, and tells which cannot be read.
func (s *Store) eachRow(ctx context.Context, tx transaction, kind *upkeep.Kind, query string, read func(pgx.Rows) (string, error)) error {
	rows, err := tx.Query(ctx, s.in(query))
	if err != nil {
		return err
	}
	defer rows.Close()
	defer kind.End()
	for rows.Next() {
		if name, err := read(rows); err != nil {
			kind.Tell(fmt.Sprintf("%s: %v", name, err))
		}
	}
	return rows.Err()
}

// checkHistories looks whether each event has its change, and each change its events.
func (s *Store) checkHistories(ctx context.Context, tx transaction, faults *upkeep.Faults) error {
	for _, look := range []struct{ kind, query string }{
		{"event without its change", strayEventsSQL}, {"number of events", historiesSQL},
	} {
		rows, err := tx.Query(ctx, s.in(look.query))
		if err != nil {
			return err
		}
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		kind := faults.Kind(look.kind)
		for _, fault := range all {
			kind.Tell(fault)
		}
		kind.End()
	}
	return nil
}

// scanAll scans a row and gives the first error of a field. An error of the driver would end the rows.
func scanAll(rows pgx.Rows, fields []any) (err error) {
	for i, field := range fields {
		if scanner, ok := field.(sql.Scanner); ok {
			fields[i] = &lenient{scanner, &err}
		}
	}
	if failure := rows.Scan(fields...); failure != nil {
		return failure
	}
	return err
}

// lenient keeps the error of a field.
type lenient struct {
	sql.Scanner
	err *error
}

// Scan implements sql.Scanner.
func (l *lenient) Scan(src any) error {
	if err := l.Scanner.Scan(src); err != nil && *l.err == nil {
		*l.err = err
	}
	return nil
}
