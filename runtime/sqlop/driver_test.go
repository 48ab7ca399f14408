package sqlop_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite"
)

// sqliteDB is a real database of its own, made by statements.
func sqliteDB(t *testing.T, statements ...string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "app.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for _, s := range statements {
		exec(t, db, s)
	}
	return db
}

func exec(t *testing.T, db *sql.DB, statement string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement, args...); err != nil {
		t.Fatal(err)
	}
}

// fake is a driver that gives what SQLite's does not: any kind of value, and failures at will.
type fake struct {
	value     driver.Value // of the column v of the only row
	affected  int64        // rows that a statement says it changed
	onExec    func() error // is called by a statement
	onCommit  func() error
	begun     context.Context // of the last transaction
	committed int
	undone    int
}

var errFake = errors.New("the connection broke")

// db is a database of that driver.
func (f *fake) db(t testing.TB) *sql.DB {
	db := sql.OpenDB(f)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// Connect and the methods below implement the interfaces of database/sql/driver.
func (f *fake) Connect(context.Context) (driver.Conn, error) { return f, nil }
func (f *fake) Driver() driver.Driver                        { return nil }
func (f *fake) Prepare(string) (driver.Stmt, error)          { return nil, errFake }
func (f *fake) Close() error                                 { return nil }
func (f *fake) Begin() (driver.Tx, error)                    { return f, nil }

func (f *fake) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	f.begun = ctx
	return f, nil
}

func (f *fake) Commit() error {
	f.committed++
	if f.onCommit != nil {
		return f.onCommit()
	}
	return nil
}

func (f *fake) Rollback() error {
	f.undone++
	return nil
}

func (f *fake) ExecContext(context.Context, string, []driver.NamedValue) (driver.Result, error) {
	if f.onExec != nil {
		if err := f.onExec(); err != nil {
			return nil, err
		}
	}
	return driver.RowsAffected(f.affected), nil
}

func (f *fake) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &fakeRows{value: f.value}, nil
}

// fakeRows is one row with one column.
type fakeRows struct {
	value driver.Value
	read  bool
}

func (r *fakeRows) Columns() []string { return []string{"v"} }
func (r *fakeRows) Close() error      { return nil }

func (r *fakeRows) Next(row []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read = true
	row[0] = r.value
	return nil
}
