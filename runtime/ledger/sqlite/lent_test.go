package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// endless is a statement that comes to no end by itself, and changes rows until then.
const endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) INSERT INTO notes SELECT i FROM n"

// TestRowsThatAJoinedBodyKeepsKeepNobodyWaiting has a body read them in a way that database/sql lets nobody close them.
func TestRowsThatAJoinedBodyKeepsKeepNobodyWaiting(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	var kept *sql.Rows
	joined := make(chan error, 1)
	go func() {
		joined <- j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) (err error) {
			if kept, err = tx.QueryContext(ctx, "SELECT id FROM owners UNION ALL SELECT id FROM owners"); err != nil {
				return err
			}
			var raw sql.RawBytes
			if kept.Next(); kept.Scan(&raw) != nil {
				t.Errorf("nothing was read: %v", kept.Err())
			}
			return addNote(ctx, "one")
		})
	}()
	select {
	case err := <-joined:
		must(t, err)
	case <-time.After(patience):
		t.Fatal("the ledger waits for who keeps the rows")
	}
	j.expect(t, ledger.Applied, "one")
	if kept.Next() {
		t.Error("rows are read after the end")
	}
}

// TestAStatementIsClosedAfterItsRows has a body close it before them, which the engine does not survive.
func TestAStatementIsClosedAfterItsRows(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	must(t, j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		statement, err := tx.PrepareContext(ctx, "SELECT id FROM owners UNION ALL SELECT id FROM owners")
		if err != nil {
			return err
		}
		rows, err := statement.QueryContext(ctx)
		if err != nil {
			return err
		}
		rows.Next()
		must(t, statement.Close())
		if rows.Next() {
			t.Error("there are more rows of a statement that was closed")
		}
		_ = rows.Close()
		return addNote(ctx, "one")
	}))
	j.expect(t, ledger.Applied, "one")
}

// TestRowsOfAJoinedBodyTellOfTheirColumns is for what makes Go values of rows by their columns.
func TestRowsOfAJoinedBodyTellOfTheirColumns(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	must(t, j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, "SELECT id FROM owners")
		if err != nil {
			return err
		}
		types, err := rows.ColumnTypes()
		if err == nil && (types[0].DatabaseTypeName() != "INTEGER" || types[0].ScanType() != reflect.TypeFor[int64]()) {
			t.Errorf("the column is %s for a %s", types[0].DatabaseTypeName(), types[0].ScanType())
		}
		return errors.Join(err, rows.Close())
	}))
	j.expect(t, ledger.Applied)
}

// TestAJoinWhoseBodyLeftAStatementRunningWritesNothing has the statement interrupted once the body is back. The engine then
// rolls the whole transaction back.
func TestAJoinWhoseBodyLeftAStatementRunningWritesNothing(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	ended := make(chan error)
	err := j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		if err := addNote(ctx, "one"); err != nil {
			return err
		}
		before := logSize(t, j.path)
		go func() {
			_, err := tx.ExecContext(context.Background(), endless)
			ended <- err
		}()
		for until := time.Now().Add(patience); logSize(t, j.path) == before; { // until more is written than is kept in memory
			if time.Now().After(until) {
				t.Fatal("the statement does not run")
			}
		}
		return nil
	})
	expectError(t, "join", err, ledger.ErrRolledBack)
	if err := <-ended; err == nil {
		t.Error("the statement came to an end by itself")
	}
	j.expect(t, ledger.Applying)
}
