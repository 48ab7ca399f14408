package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// txKey is the key of the transaction in the context of a joined body.
type txKey struct{}

// Tx is the transaction of the joined body that is called with ctx; false in any other call, as in that of a hook that looks
// at a state for a preview.
//
// Body changes rows with it, of tables of its own: nothing but care keeps it from writing to those of the ledger, and nothing
// but the grants of its role from changing tables in a function. It may use savepoints, as Begin does. What else would end the
// transaction, and statements that are about more than rows, are refused: the ledger commits it together with the record of the
// change, or rolls it back. Commit fails, as a statement does that would end the transaction, and like Rollback they give the
// whole change up. Each statement is sent by itself, whatever pgx.QueryExecMode it is given. One that fails with SQLSTATE 40001
// met with others who have changed the same rows since the first look: returned as it is, or wrapped, that is a conflict as of
// runtime.Conflict. A body that takes another role with SET LOCAL ROLE ends with SET LOCAL ROLE NONE: the record is written by
// the role that it leaves, and nothing is kept where that one may not. Conn is nil, also for a pgx.QueryRewriter. What
// LargeObjects gives fails with pgx.ErrTxClosed, which is all that pgx lets it say: make statements that call lo_create, lo_put
// and lo_get. The transaction is over when the body has returned, or when its context is.
func Tx(ctx context.Context) (pgx.Tx, bool) {
	tx, ok := ctx.Value(txKey{}).(*lent)
	return tx, ok
}

var (
	errBound = errors.New("a joined body changes rows of its own tables, and the ledger commits them with the record of the change")
	// errEnded is a body that ended its transaction, or tried to: with Commit, Rollback, such a statement, or an error of another
	// that it did not return.
	errEnded = errors.New("the transaction of the joined body had failed, or was to be ended, before it returned")
	// errAbandoned is a body that returned while something that it had called, and that calls back, did not.
	errAbandoned = errors.New("the joined body returned while its transaction was in use still")
	// errInUse is what the driver says of its connection too.
	errInUse = errors.New("the transaction of the joined body is in use already: by another goroutine, or by what calls this")
)

// lend calls body with a transaction that has begun. When lend returns, however it does, nothing that body has left running
// uses it any more. What a body that fails has left open is not waited for, and nothing for longer than for locks.
func (s *Store) lend(
	ctx context.Context, tx pgx.Tx, g *gate, body func(context.Context) (ledger.Record, ledger.Event, error),
) (r ledger.Record, e ledger.Event, err error) {
	g.life, g.end = context.WithCancel(ctx)
	defer func() {
		g.end()
		g.close()
	}()
	r, e, err = body(context.WithValue(g.life, txKey{}, &lent{tx: tx, gate: g}))
	if err != nil {
		return r, e, err
	}
	defer time.AfterFunc(s.busyTimeout, g.end).Stop()
	g.close()
	switch {
	case g.abandoned:
		err = errAbandoned
	case g.ended.Load(), tx.Conn().PgConn().TxStatus() == failedTransaction:
		err = errEnded
	}
	return r, e, err
}

// lent is the transaction as body has it, or one that is nested in it.
type lent struct {
	tx     pgx.Tx
	gate   *gate
	nested bool
}

// Begin implements pgx.Tx. It sets a savepoint.
func (l *lent) Begin(ctx context.Context) (pgx.Tx, error) {
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	tx, err := l.tx.Begin(ctx)
	if err != nil {
		return nil, err
	}
	return &lent{tx: tx, gate: l.gate, nested: true}, nil
}

// Commit implements pgx.Tx.
func (l *lent) Commit(ctx context.Context) error {
	if !l.nested {
		if err := l.gate.giveUp(); err != nil {
			return err
		}
		return refused("Commit")
	}
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return l.tx.Commit(ctx)
}

// Rollback implements pgx.Tx.
func (l *lent) Rollback(ctx context.Context) error {
	if !l.nested {
		return l.gate.giveUp()
	}
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return l.tx.Rollback(ctx)
}

// CopyFrom implements pgx.Tx.
func (l *lent) CopyFrom(ctx context.Context, table pgx.Identifier, columns []string, source pgx.CopyFromSource) (int64, error) {
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	return l.tx.CopyFrom(ctx, table, columns, source)
}

// Prepare implements pgx.Tx.
func (l *lent) Prepare(ctx context.Context, name, sql string) (*pgconn.StatementDescription, error) {
	if err := l.gate.check(sql); err != nil {
		return nil, err
	}
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	own := l.gate.prepared.own(name)
	made, err := l.tx.Prepare(ctx, own, sql)
	if err != nil {
		return nil, err
	}
	l.gate.prepared.keep(name, own)
	described := *made
	described.Name = name
	return &described, nil
}

// LargeObjects implements pgx.Tx. Nothing would keep those of pgx from a transaction that is over, so that these always fail.
func (l *lent) LargeObjects() pgx.LargeObjects {
	var b pgx.Batch
	b.BeginTx(pgx.TxOptions{})
	return pgx.FailedBatchResults(&b, errBound).Tx().LargeObjects()
}

// Conn implements pgx.Tx. What is done with the connection itself could not be kept inside of the transaction.
func (l *lent) Conn() *pgx.Conn { return nil }
