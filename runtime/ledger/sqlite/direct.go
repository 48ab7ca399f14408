package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// direct is a prepared statement of the connection that writes, without what database/sql does with each argument and each
// row: a batch runs hundreds of them, one after the other, and many wait for that.
type direct struct {
	conn     *sql.Conn
	prepared engineStatement
}

// engineStatement is a prepared statement of the driver.
type engineStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

func prepareDirect(ctx context.Context, conn *sql.Conn, query string) (*direct, error) {
	d := &direct{conn: conn}
	err := conn.Raw(func(engine any) error {
		stmt, err := engine.(driver.ConnPrepareContext).PrepareContext(ctx, query)
		if err != nil {
			return err
		}
		var able bool
		if d.prepared, able = stmt.(engineStatement); !able {
			return errors.Join(fmt.Errorf("%w: the driver has no prepared statements", ledger.ErrUnsupported), stmt.Close())
		}
		return nil
	})
	return d, err
}

// exec runs a statement that gives no rows.
func (d *direct) exec(ctx context.Context, args []driver.NamedValue) (done driver.Result, err error) {
	err = d.conn.Raw(func(any) error {
		done, err = d.prepared.ExecContext(ctx, args)
		return err
	})
	return done, err
}

// row reads the first row that a statement gives. It is io.EOF if there is none.
func (d *direct) row(ctx context.Context, args []driver.NamedValue, into []driver.Value) error {
	return d.conn.Raw(func(any) error {
		rows, err := d.prepared.QueryContext(ctx, args)
		if err != nil {
			return err
		}
		err = rows.Next(into)
		if closed := rows.Close(); err == nil {
			err = closed
		}
		return err
	})
}

func (d *direct) close() error {
	if d == nil || d.prepared == nil {
		return nil
	}
	return d.conn.Raw(func(any) error { return d.prepared.Close() })
}

// bound are arguments as the driver takes them.
func bound(args ...any) ([]driver.NamedValue, error) {
	to := make([]driver.NamedValue, 0, len(args))
	for _, arg := range args {
		value, err := plain(arg)
		if err != nil {
			return nil, err
		}
		to = appendValues(to, value)
	}
	return to, nil
}

func appendValues(to []driver.NamedValue, values ...driver.Value) []driver.NamedValue {
	for _, value := range values {
		to = append(to, driver.NamedValue{Ordinal: len(to) + 1, Value: value})
	}
	return to
}
