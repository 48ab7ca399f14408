package postgres

import "github.com/jackc/pgx/v5"

// calling is a callback of a batch, which is not called any more once the transaction is over.
func (g *gate) calling(fn func(pgx.BatchResults) error) func(pgx.BatchResults) error {
	return func(results pgx.BatchResults) error {
		if g.closed.Load() {
			return pgx.ErrTxClosed
		}
		return fn(calledBatch{results})
	}
}

// calledBatch is what a callback reads, in the middle of a use of the transaction. It leads to no connection.
type calledBatch struct{ pgx.BatchResults }

// Query implements pgx.BatchResults.
func (b calledBatch) Query() (pgx.Rows, error) {
	rows, err := b.BatchResults.Query()
	return calledRows{rows}, err
}

// QueryRow implements pgx.BatchResults.
func (b calledBatch) QueryRow() pgx.Row {
	rows, err := b.Query()
	return &lentRow{rows: rows, err: err}
}

// calledRows are those that are read in the middle of a use of the transaction. They lead to no connection.
type calledRows struct{ pgx.Rows }

// Conn implements pgx.Rows.
func (calledRows) Conn() *pgx.Conn { return nil }

// Scan implements pgx.Rows.
func (r calledRows) Scan(dest ...any) error {
	if len(dest) == 1 {
		if scanner, isOne := dest[0].(pgx.RowScanner); isOne {
			return r.Rows.Scan(calledScanner{scanner})
		}
	}
	return r.Rows.Scan(dest...)
}

// calledScanner is called back with a whole row.
type calledScanner struct{ scanner pgx.RowScanner }

// ScanRow implements pgx.RowScanner.
func (c calledScanner) ScanRow(row pgx.Rows) error { return c.scanner.ScanRow(calledRows{row}) }
