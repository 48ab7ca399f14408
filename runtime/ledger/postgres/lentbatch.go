package postgres

import (
	"cmp"
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errSimple is a batch over a connection that sends texts which can hold several statements each.
var errSimple = errors.New("a joined body sends no batch with default_query_exec_mode=simple_protocol")

// SendBatch implements pgx.Tx. What it calls back cannot use the transaction.
func (l *lent) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	own, err := l.batch(ctx, b)
	if err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	ctx, leave, err := l.gate.enterFree(ctx)
	if err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	defer leave()
	results := l.tx.SendBatch(ctx, own)
	l.gate.opening = func() { _ = results.Close() }
	return &lentBatch{results, l.gate}
}

// batch is b with its statements as they are sent. All of them are looked at, also behind one that is refused.
func (l *lent) batch(ctx context.Context, b *pgx.Batch) (*pgx.Batch, error) {
	var own pgx.Batch
	var refused error
	for _, q := range b.QueuedQueries {
		s, err := l.written(ctx, q.SQL, q.Arguments)
		if err != nil {
			return nil, err
		}
		text, err := l.gate.text(s.sql)
		if err == nil && s.mode == pgx.QueryExecModeSimpleProtocol {
			err = errSimple
		}
		refused = cmp.Or(refused, err)
		if queued := own.Queue(text, s.args...); q.Fn != nil {
			queued.Fn = l.gate.calling(q.Fn)
		}
	}
	return &own, refused
}

// lentBatch are results that are read while the transaction lasts.
type lentBatch struct {
	pgx.BatchResults
	gate *gate
}

// Exec implements pgx.BatchResults.
func (b *lentBatch) Exec() (tag pgconn.CommandTag, err error) {
	if inUse := b.gate.read(func() { tag, err = b.BatchResults.Exec() }); inUse != nil {
		return tag, inUse
	}
	return tag, err
}

// Query implements pgx.BatchResults.
func (b *lentBatch) Query() (rows pgx.Rows, err error) {
	inUse := b.gate.read(func() {
		rows, err = b.BatchResults.Query()
		rows = newLentRows(rows, b.gate)
	})
	if inUse != nil {
		return failed(inUse)
	}
	return rows, err
}

// QueryRow implements pgx.BatchResults.
func (b *lentBatch) QueryRow() pgx.Row {
	rows, err := b.Query()
	return &lentRow{rows: rows, err: err}
}

// Close implements pgx.BatchResults.
func (b *lentBatch) Close() (err error) {
	if inUse := b.gate.read(func() { err = b.BatchResults.Close() }); inUse != nil {
		return inUse
	}
	return err
}
