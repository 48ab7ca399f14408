package sqlop_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

func TestExecOneKeepsTheChangeOfOneRow(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	err := sqlop.ExecOne(t.Context(), db, "UPDATE settings SET value = ? WHERE key = ? AND version = ?",
		"light", colour("theme"), json.Number("9007199254740993"))
	if err != nil {
		t.Fatal(err)
	}
	expectValues(t, db, "en", "light")
}

func TestExecOneProvesThatNothingIsKept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, statement string
		args            []any
		conflict        bool
	}{
		{"no row", "UPDATE settings SET value = ? WHERE version = ?", []any{"x", 7}, true},
		{"two rows", "UPDATE settings SET value = ?", []any{"x"}, false},
		{"a broken statement", "UPDATE nowhere SET value = ?", []any{"x"}, false},
		{"a broken constraint", "UPDATE settings SET value = ?, key = 'theme' WHERE key = 'language'", []any{"x"}, false},
		{"a parameter without a form", "UPDATE settings SET value = ? WHERE key = 'theme'", []any{json.Number("x")}, false},
		{"a missing parameter", "UPDATE settings SET value = ? WHERE key = 'theme'", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			db := sqliteDB(t, createSettings, insertSettings)
			err := sqlop.ExecOne(t.Context(), db, c.statement, c.args...)
			expectVerdict(t, err, true, c.conflict)
			expectValues(t, db, "en", "dark")
		})
	}
}

func TestExecOneInLeavesTheEndToItsCaller(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	for _, c := range []struct {
		end   func(*sql.Tx) error
		where string
		kept  string
	}{
		{(*sql.Tx).Rollback, "theme", "dark"}, {(*sql.Tx).Commit, "nothing", "dark"}, {(*sql.Tx).Commit, "theme", "light"},
	} {
		tx, err := db.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		err = sqlop.ExecOneIn(t.Context(), tx, "UPDATE settings SET value = ? WHERE key = ?", "light", c.where)
		if isConflict := errors.Is(err, runtime.ErrConflict); isConflict != (c.where == "nothing") {
			t.Errorf("a row named %s: %v", c.where, err)
		}
		if err := c.end(tx); err != nil {
			t.Fatal(err)
		}
		expectValues(t, db, "en", c.kept)
	}
}

func TestExecOneProvesThatNothingIsKeptWithoutADatabase(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	expectVerdict(t, sqlop.ExecOne(t.Context(), db, "SELECT 1"), true, false)
}

func TestExecOneWaitsNoLongerThanItsContext(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(t.Context()) // the only one
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- sqlop.ExecOne(ctx, db, "UPDATE settings SET value = 'x' WHERE key = 'theme'") }()
	cancel()
	err = <-done
	expectVerdict(t, err, true, false)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	if err := conn.Close(); err != nil {
		t.Fatal(err)
	}
	expectValues(t, db, "en", "dark")
}

func TestExecOneIsNotAppliedWhileAnotherWriterHoldsTheFile(t *testing.T) {
	t.Parallel()
	db := sqliteDB(t, createSettings, insertSettings)
	tx, err := db.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), "UPDATE settings SET value = value"); err != nil {
		t.Fatal(err)
	}
	err = sqlop.ExecOne(t.Context(), db, "UPDATE settings SET value = 'x' WHERE key = 'theme'")
	expectVerdict(t, err, true, false)
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	expectValues(t, db, "en", "dark")
}

func TestExecOneRollsBackWhenItsCallerLeavesBeforeTheCommit(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{affected: 1, onExec: func() error { cancel(); return nil }}
	expectVerdict(t, sqlop.ExecOne(ctx, f.db(t), "UPDATE"), true, false)
	if f.committed != 0 || f.undone != 1 {
		t.Errorf("%d commits and %d rollbacks", f.committed, f.undone)
	}
}

func TestExecOneCommitsAlthoughItsCallerLeavesMeanwhile(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	f := &fake{affected: 1, onCommit: func() error { cancel(); return nil }}
	if err := sqlop.ExecOne(ctx, f.db(t), "UPDATE"); err != nil {
		t.Errorf("a commit that was done is reported as %v", err)
	}
	if f.begun.Err() != nil {
		t.Error("the transaction ends with its caller")
	}
	if f.committed != 1 || f.undone != 0 {
		t.Errorf("%d commits and %d rollbacks", f.committed, f.undone)
	}
}

func TestExecOneProvesNothingWhenTheCommitFails(t *testing.T) {
	t.Parallel()
	f := &fake{affected: 1, onCommit: func() error { return errFake }}
	err := sqlop.ExecOne(t.Context(), f.db(t), "UPDATE")
	expectVerdict(t, err, false, false)
	if !errors.Is(err, errFake) {
		t.Errorf("%v, want %v in it", err, errFake)
	}
}

func TestExecOneIsNotAppliedWhenItsStatementFails(t *testing.T) {
	t.Parallel()
	f := &fake{onExec: func() error { return errFake }}
	expectVerdict(t, sqlop.ExecOne(t.Context(), f.db(t), "UPDATE"), true, false)
	if f.committed != 0 {
		t.Errorf("%d commits", f.committed)
	}
}

// expectVerdict expects an error, and what it says about the write.
func expectVerdict(t *testing.T, err error, notApplied, conflict bool) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if got := errors.Is(err, runtime.ErrNotApplied); got != notApplied {
		t.Errorf("%v proves that nothing was written: %v, want %v", err, got, notApplied)
	}
	if got := errors.Is(err, runtime.ErrConflict); got != conflict {
		t.Errorf("%v is a conflict: %v, want %v", err, got, conflict)
	}
}

// expectValues expects the values of the two settings.
func expectValues(t *testing.T, db *sql.DB, language, theme string) {
	t.Helper()
	rows, err := sqlop.List(t.Context(), db, "SELECT value, version FROM settings ORDER BY key", nil, settingColumns)
	if err != nil || len(rows) != 2 || rows[0].Value != language || rows[1].Value != theme {
		t.Errorf("settings %+v, %v, want %s and %s", rows, err, language, theme)
	}
}
