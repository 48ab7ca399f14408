package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
)

// txKey is the key of the transaction in the context of a joined body.
type txKey struct{}

// Tx is the transaction of the joined body that is called with ctx; false in any other call, as in that of a hook that looks
// at a state for a preview.
//
// It changes rows of all tables but the ledger's own, which it can read, and may use savepoints. All else is refused, and
// above all its end: the ledger commits it together with the record of the change, or rolls it back. Commit fails, and like
// Rollback, and a statement that would end the transaction, gives the whole change up. It is over when the body has returned,
// or when its context is. A statement that runs then is interrupted, and the change is given up if that one would have changed
// rows. What cannot be interrupted is a query that looks for its next row, and a Go function that a statement calls: the ledger
// waits for that row, and until that function has returned.
func Tx(ctx context.Context) (*sql.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(*sql.Tx)
	return tx, ok
}

// lend calls body with a transaction over a connection that has begun one. When lend returns, however it does, everything
// that body has left open is closed, and what it has left running is kept out.
func lend(ctx context.Context, over driver.Conn, b *bonds, body func(context.Context) error) error {
	life, end := context.WithCancel(ctx)
	l := &lent{conn: over, life: life, end: end, bonds: b}
	pool := sql.OpenDB(lender{l})
	tx, err := pool.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		end()
		return errors.Join(err, pool.Close())
	}
	b.tie()
	defer b.untie()
	defer func() {
		l.shut()
		go leave(pool, tx)
	}()
	if err := body(context.WithValue(life, txKey{}, tx)); err != nil {
		return err
	}
	l.shut()
	return b.broken() // what was interrupted may have ended the transaction
}

// leave lets go of what database/sql has of a transaction that is over, once the body has closed its rows: who has scanned
// sql.RawBytes keeps them open.
func leave(pool *sql.DB, tx *sql.Tx) {
	_ = tx.Rollback()
	_ = pool.Close()
}

// lender gives the one connection there is.
type lender struct{ of *lent }

// Connect implements driver.Connector.
func (l lender) Connect(context.Context) (driver.Conn, error) { return l.of, nil }

// Driver implements driver.Connector.
func (lender) Driver() driver.Driver { return nil }

// lent is a connection of the store as database/sql sees it that was given the transaction: it is neither begun nor ended.
type lent struct {
	conn  driver.Conn
	life  context.Context // of the transaction
	end   context.CancelFunc
	bonds *bonds

	mu   sync.Mutex // held by who uses the engine
	over bool
	open []*opened // rows behind their statements
}

// use lets do use the engine, unless the transaction is over, or is not to be kept.
func (l *lent) use(do func() error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.bonds.ended.Load() {
		return sql.ErrTxDone
	}
	return l.bonds.explain(do())
}

// shut interrupts what still runs, and closes what was left open. Nothing uses the engine afterwards. It does not depend on
// what the body does, or database/sql for it.
func (l *lent) shut() {
	l.end()
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.open) > 0 {
		_ = l.release(l.open[len(l.open)-1])
	}
	l.over = true
}

// Close implements driver.Conn. The store goes on with the connection.
func (l *lent) Close() error { return nil }

// Begin implements driver.Conn.
func (l *lent) Begin() (driver.Tx, error) { return l, nil }

// Commit implements driver.Tx. For database/sql the transaction is over then, so that it would not be whole.
func (l *lent) Commit() error { return errors.Join(fmt.Errorf("commit: %w", errBound), l.Rollback()) }

// Rollback implements driver.Tx.
func (l *lent) Rollback() error {
	return l.use(func() error {
		l.bonds.ended.Store(true)
		return nil
	})
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
	s := &lentStatement{lent: l}
	err := l.use(func() (err error) {
		if s.Stmt, err = l.conn.(driver.ConnPrepareContext).PrepareContext(ctx, query); err == nil {
			s.opened = l.keep(s.Stmt, nil)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// ExecContext implements driver.ExecerContext.
func (l *lent) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	return l.exec(ctx, func(ctx context.Context) (driver.Result, error) {
		return l.conn.(driver.ExecerContext).ExecContext(ctx, query, args)
	})
}

// QueryContext implements driver.QueryerContext.
func (l *lent) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return l.query(ctx, nil, func(ctx context.Context) (driver.Rows, error) {
		return l.conn.(driver.QueryerContext).QueryContext(ctx, query, args)
	})
}
