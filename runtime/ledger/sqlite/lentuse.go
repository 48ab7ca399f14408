package sqlite

import (
	"context"
	"database/sql/driver"
	"reflect"
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

// query runs a query of the transaction. Its context is that of the rows too.
func (l *lent) query(ctx context.Context, run func(context.Context) (driver.Rows, error)) (driver.Rows, error) {
	ctx, done := l.during(ctx)
	var rows driver.Rows
	err := l.use(func() (err error) {
		if rows, err = run(ctx); err == nil {
			l.open = append(l.open, rows)
		}
		return err
	})
	if err != nil {
		done()
		return nil, err
	}
	return &lentRows{Rows: rows, lent: l, done: done}, nil
}

// lentStatement is a prepared statement of the transaction.
type lentStatement struct {
	driver.Stmt
	lent *lent
}

// Close implements driver.Stmt.
func (s *lentStatement) Close() error { return s.lent.close(s.Stmt) }

// ExecContext implements driver.StmtExecContext.
func (s *lentStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	return s.lent.exec(ctx, func(ctx context.Context) (driver.Result, error) {
		return s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	})
}

// QueryContext implements driver.StmtQueryContext.
func (s *lentStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return s.lent.query(ctx, func(ctx context.Context) (driver.Rows, error) {
		return s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	})
}

// lentRows are rows of a query of the transaction.
type lentRows struct {
	driver.Rows
	lent *lent
	done context.CancelFunc
}

// Close implements driver.Rows.
func (r *lentRows) Close() error {
	defer r.done()
	return r.lent.close(r.Rows)
}

// Next implements driver.Rows.
func (r *lentRows) Next(into []driver.Value) error {
	return r.lent.use(func() error { return r.Rows.Next(into) })
}

// ColumnTypeDatabaseTypeName implements driver.RowsColumnTypeDatabaseTypeName.
func (r *lentRows) ColumnTypeDatabaseTypeName(index int) string {
	return r.Rows.(driver.RowsColumnTypeDatabaseTypeName).ColumnTypeDatabaseTypeName(index)
}

// ColumnTypeScanType implements driver.RowsColumnTypeScanType. The engine tells it of the row at hand, as long as there is one.
func (r *lentRows) ColumnTypeScanType(index int) (scans reflect.Type) {
	if r.lent.use(func() error {
		scans = r.Rows.(driver.RowsColumnTypeScanType).ColumnTypeScanType(index)
		return nil
	}) != nil {
		return reflect.TypeFor[any]()
	}
	return scans
}
