package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
)

// txKey is the key of the transaction in the context of a joined body.
type txKey struct{}

// Tx is the transaction of the joined body that is called with ctx; false in any other call, as in that of a hook that looks
// at a state for a preview.
//
// It changes rows of all tables but the ledger's own, which it can read, and may use savepoints. All else is refused, and
// above all its end: the ledger commits it together with the record of the change, or rolls it back. Commit fails and does
// nothing; Rollback gives the whole change up. It is over when the body has returned, or when its context is.
func Tx(ctx context.Context) (*sql.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(*sql.Tx)
	return tx, ok
}

// lend calls body with a transaction over a connection that has begun one. When lend returns, however it does, everything
// that body has left open is closed, and what it has left running is kept out.
func lend(ctx context.Context, over driver.Conn, b *bonds, body func(context.Context) error) error {
	life, end := context.WithCancel(ctx)
	defer end()
	l := &lent{conn: over, life: life, bonds: b, closed: make(chan struct{})}
	pool := sql.OpenDB(lender{l})
	tx, err := pool.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return errors.Join(err, pool.Close())
	}
	b.tie()
	defer b.untie()
	defer func() {
		end() // interrupts what still runs
		_ = tx.Rollback()
		_ = pool.Close()
		<-l.closed // once nothing uses it any more
	}()
	if err := body(context.WithValue(life, txKey{}, tx)); err != nil {
		return err
	}
	return b.broken()
}

// lender gives the one connection there is.
type lender struct{ of *lent }

// Connect implements driver.Connector.
func (l lender) Connect(context.Context) (driver.Conn, error) { return l.of, nil }

// Driver implements driver.Connector.
func (lender) Driver() driver.Driver { return nil }

// lent is a connection of the store as database/sql sees it that was given the transaction: it is neither begun nor ended.
type lent struct {
	conn   driver.Conn
	life   context.Context // of the transaction
	bonds  *bonds
	closed chan struct{}
}

// Close implements driver.Conn. It is called once, when nothing uses the connection any more.
func (l *lent) Close() error {
	close(l.closed)
	return nil
}

// Begin implements driver.Conn.
func (l *lent) Begin() (driver.Tx, error) { return l, nil }

// Commit implements driver.Tx.
func (l *lent) Commit() error { return fmt.Errorf("commit: %w", errBound) }

// Rollback implements driver.Tx. It is called at the end of its life too.
func (l *lent) Rollback() error {
	if l.life.Err() == nil {
		l.bonds.ended.Store(true)
	}
	return nil
}

// during is ctx, ended by the end of the transaction.
func (l *lent) during(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.life, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Prepare implements driver.Conn.
func (l *lent) Prepare(query string) (driver.Stmt, error) {
	return l.PrepareContext(context.Background(), query)
}

// PrepareContext implements driver.ConnPrepareContext.
func (l *lent) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	prepared, err := l.conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
	if err != nil {
		return nil, l.bonds.explain(err)
	}
	return &lentStatement{Stmt: prepared, lent: l}, nil
}

// ExecContext implements driver.ExecerContext.
func (l *lent) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	ctx, done := l.during(ctx)
	defer done()
	result, err := l.conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	return result, l.bonds.explain(err)
}

// QueryContext implements driver.QueryerContext.
func (l *lent) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	ctx, done := l.during(ctx)
	defer done()
	rows, err := l.conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	return rows, l.bonds.explain(err)
}

// lentStatement is a prepared statement of the transaction.
type lentStatement struct {
	driver.Stmt
	lent *lent
}

// ExecContext implements driver.StmtExecContext.
func (s *lentStatement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	ctx, done := s.lent.during(ctx)
	defer done()
	result, err := s.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	return result, s.lent.bonds.explain(err)
}

// QueryContext implements driver.StmtQueryContext.
func (s *lentStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	ctx, done := s.lent.during(ctx)
	defer done()
	rows, err := s.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	return rows, s.lent.bonds.explain(err)
}
