package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Query implements pgx.Tx.
func (l *lent) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	s, err := l.written(ctx, sql, args)
	if err != nil {
		return failed(err)
	}
	text, err := l.gate.text(s.sql)
	if err != nil {
		return failed(err)
	}
	ctx, leave, err := l.gate.enterFree(ctx)
	if err != nil {
		return failed(err)
	}
	defer leave()
	rows, err := l.tx.Query(ctx, text, s.arguments()...)
	if err == nil {
		l.gate.opening = rows.Close
	}
	return newLentRows(rows, l.gate), err
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

// lentRows are rows that are read while the transaction lasts. What they say of themselves is kept from the latest use: the
// gate may close them at any time.
type lentRows struct {
	pgx.Rows
	gate   *gate
	failed error // what kept them from being read
	met    error // in the latest use
	tag    pgconn.CommandTag
}

// newLentRows is for rows that nobody else uses yet.
func newLentRows(rows pgx.Rows, g *gate) *lentRows {
	return &lentRows{Rows: rows, gate: g, met: rows.Err(), tag: rows.CommandTag()}
}

// use has the rows used by nobody else meanwhile.
func (r *lentRows) use(do func()) error {
	return r.gate.read(func() {
		do()
		r.met, r.tag = r.Rows.Err(), r.Rows.CommandTag()
	})
}

// Next implements pgx.Rows.
func (r *lentRows) Next() (more bool) {
	r.note(r.use(func() { more = r.Rows.Next() }))
	return more
}

// Close implements pgx.Rows.
func (r *lentRows) Close() { r.note(r.use(r.Rows.Close)) }

// Scan implements pgx.Rows.
func (r *lentRows) Scan(dest ...any) (err error) {
	if failed := r.use(func() { err = calledRows{r.Rows}.Scan(dest...) }); failed != nil {
		return failed
	}
	return err
}

// Values implements pgx.Rows.
func (r *lentRows) Values() (values []any, err error) {
	if failed := r.use(func() { values, err = r.Rows.Values() }); failed != nil {
		return nil, failed
	}
	return values, err
}

// RawValues implements pgx.Rows.
func (r *lentRows) RawValues() (values [][]byte) {
	r.note(r.use(func() { values = r.Rows.RawValues() }))
	return values
}

// FieldDescriptions implements pgx.Rows.
func (r *lentRows) FieldDescriptions() (fields []pgconn.FieldDescription) {
	r.note(r.use(func() { fields = r.Rows.FieldDescriptions() }))
	return fields
}

func (r *lentRows) note(failed error) {
	if r.failed == nil {
		r.failed = failed
	}
}

// Err implements pgx.Rows.
func (r *lentRows) Err() error {
	if r.failed != nil {
		return r.failed
	}
	return r.met
}

// CommandTag implements pgx.Rows.
func (r *lentRows) CommandTag() pgconn.CommandTag { return r.tag }

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
