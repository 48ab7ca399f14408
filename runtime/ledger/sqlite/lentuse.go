package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"io"
	"reflect"
	"slices"
)

// exec runs a statement of the transaction.
func (l *lent) exec(ctx context.Context, run func(context.Context) (driver.Result, error)) (result driver.Result, err error) {
	ctx, done := l.during(ctx)
	defer done()
	err = l.use(func() (err error) {
		result, err = run(ctx)
		return err
	})
	return result, err
}

// query runs a query of the transaction, by a statement that was prepared or none. Its context is that of the rows too.
func (l *lent) query(ctx context.Context, by *opened, run func(context.Context) (driver.Rows, error)) (driver.Rows, error) {
	ctx, done := l.during(ctx)
	r := &lentRows{lent: l, done: done}
	err := l.use(func() (err error) {
		if r.Rows, err = run(ctx); err == nil {
			r.opened = l.keep(r.Rows, by)
		}
		return err
	})
	if err != nil {
		done()
		return nil, err
	}
	return r, nil
}

// opened is what the engine has open for the body. It is closed once, and before what it is of: the engine does not survive
// what comes later.
type opened struct {
	io.Closer
	of     *opened // the statement of rows; nil without one
	closed bool
}

// errRowsClosed is the answer of rows whose statement was closed.
var errRowsClosed = errors.New("these rows were closed with their statement")

// keep remembers what is to be closed. The caller uses the engine.
func (l *lent) keep(c io.Closer, of *opened) *opened {
	o := &opened{Closer: c, of: of}
	l.open = append(l.open, o)
	return o
}

// release closes o, and what is of it before. The caller uses the engine.
func (l *lent) release(o *opened) error {
	if o.closed {
		return nil
	}
	for _, rows := range slices.Clone(l.open) {
		if rows.of == o {
			_ = l.release(rows)
		}
	}
	o.closed = true
	l.open = slices.DeleteFunc(l.open, func(other *opened) bool { return other == o })
	return o.Close()
}

// lentStatement is a prepared statement of the transaction.
type lentStatement struct {
	driver.Stmt
	lent   *lent
	opened *opened
}

// Close implements driver.Stmt.
func (s *lentStatement) Close() error {
	return s.lent.use(func() error { return s.lent.release(s.opened) })
}

// ExecContext implements driver.StmtExecContext.
func (s *lentStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.lent.exec(ctx, func(ctx context.Context) (driver.Result, error) {
		return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	})
}

// QueryContext implements driver.StmtQueryContext.
func (s *lentStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.lent.query(ctx, s.opened, func(ctx context.Context) (driver.Rows, error) {
		return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	})
}

// lentRows are rows of a query of the transaction.
type lentRows struct {
	driver.Rows
	lent   *lent
	opened *opened
	done   context.CancelFunc
}

// use lets do use the rows in the engine, unless they are closed.
func (r *lentRows) use(do func() error) error {
	return r.lent.use(func() error {
		if r.opened.closed {
			return errRowsClosed
		}
		return do()
	})
}

// Close implements driver.Rows.
func (r *lentRows) Close() error {
	defer r.done()
	return r.lent.use(func() error { return r.lent.release(r.opened) })
}

// Next implements driver.Rows.
func (r *lentRows) Next(into []driver.Value) error {
	return r.use(func() error { return r.Rows.Next(into) })
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *lentRows) ColumnTypeDatabaseTypeName(index int) string {
	return r.Rows.(driver.RowsColumnTypeDatabaseTypeName).ColumnTypeDatabaseTypeName(index)
}

// ColumnTypeScanType implements driver.RowsColumnTypeScanType. The engine tells it of the row at hand, as long as there is one.
func (r *lentRows) ColumnTypeScanType(index int) (scans reflect.Type) {
	if r.use(func() error {
		scans = r.Rows.(driver.RowsColumnTypeScanType).ColumnTypeScanType(index)
		return nil
	}) != nil {
		return reflect.TypeFor[any]()
	}
	return scans
}
