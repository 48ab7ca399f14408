package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// errSimple is a batch over a connection that sends texts which can hold several statements each.
var errSimple = errors.New("a joined body sends no batch with default_query_exec_mode=simple_protocol")

// Query implements pgx.Tx.
func (l *lent) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	s, err := l.written(ctx, sql, args)
	if err != nil {
		return failed(err)
	}
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return failed(err)
	}
	defer leave()
	text, err := l.gate.text(s.sql)
	if err != nil {
		return failed(err)
	}
	rows, err := l.tx.Query(ctx, text, s.arguments()...)
	l.gate.open = append(l.gate.open, rows.Close)
	return &lentRows{Rows: rows, gate: l.gate}, err
}

// failed are the rows of a statement that was not sent.
func failed(err error) (pgx.Rows, error) { return pgx.FailedBatchResults(&pgx.Batch{}, err).Query() }

// Exec implements pgx.Tx. It is a query without rows: that is never more than one statement.
func (l *lent) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	rows, err := l.Query(ctx, sql, args...)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	rows.Close()
	return rows.CommandTag(), rows.Err()
}

// QueryRow implements pgx.Tx.
func (l *lent) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	rows, err := l.Query(ctx, sql, args...)
	return &lentRow{rows: rows, err: err}
}

// lentRows are rows that are read while the transaction lasts.
type lentRows struct {
	pgx.Rows
	gate *gate
}

// Next implements pgx.Rows.
func (r *lentRows) Next() bool {
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	return r.Rows.Next()
}

// Close implements pgx.Rows.
func (r *lentRows) Close() {
	r.gate.mu.Lock()
	defer r.gate.mu.Unlock()
	r.Rows.Close()
}

// Conn implements pgx.Rows.
func (r *lentRows) Conn() *pgx.Conn { return nil }

// lentRow is the first of some rows.
type lentRow struct {
	rows pgx.Rows
	err  error
}

// Scan implements pgx.Row.
func (r *lentRow) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	defer r.rows.Close()
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return err
		}
		return pgx.ErrNoRows
	}
	if err := r.rows.Scan(dest...); err != nil {
		return err
	}
	r.rows.Close()
	return r.rows.Err()
}

// SendBatch implements pgx.Tx.
func (l *lent) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	own, err := l.batch(ctx, b)
	if err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	ctx, leave, err := l.gate.enter(ctx)
	if err != nil {
		return pgx.FailedBatchResults(b, err)
	}
	defer leave()
	for _, q := range own.QueuedQueries {
		if q.SQL, err = l.gate.text(q.SQL); err != nil {
			return pgx.FailedBatchResults(b, err)
		}
	}
	results := l.tx.SendBatch(ctx, own)
	l.gate.open = append(l.gate.open, func() { _ = results.Close() })
	return &lentBatch{results, l.gate}
}

// batch is b with its statements as they are written.
func (l *lent) batch(ctx context.Context, b *pgx.Batch) (*pgx.Batch, error) {
	var own pgx.Batch
	for _, q := range b.QueuedQueries {
		s, err := l.written(ctx, q.SQL, q.Arguments)
		if err != nil {
			return nil, err
		}
		if s.mode == pgx.QueryExecModeSimpleProtocol {
			return nil, errSimple
		}
		own.Queue(s.sql, s.args...).Fn = q.Fn
	}
	return &own, nil
}

// lentBatch are results that are read while the transaction lasts.
type lentBatch struct {
	pgx.BatchResults
	gate *gate
}

// Exec implements pgx.BatchResults.
func (b *lentBatch) Exec() (pgconn.CommandTag, error) {
	b.gate.mu.Lock()
	defer b.gate.mu.Unlock()
	return b.BatchResults.Exec()
}

// Query implements pgx.BatchResults.
func (b *lentBatch) Query() (pgx.Rows, error) {
	b.gate.mu.Lock()
	defer b.gate.mu.Unlock()
	rows, err := b.BatchResults.Query()
	return &lentRows{Rows: rows, gate: b.gate}, err
}

// QueryRow implements pgx.BatchResults.
func (b *lentBatch) QueryRow() pgx.Row {
	rows, err := b.Query()
	return &lentRow{rows: rows, err: err}
}

// Close implements pgx.BatchResults.
func (b *lentBatch) Close() error {
	b.gate.mu.Lock()
	defer b.gate.mu.Unlock()
	return b.BatchResults.Close()
}
