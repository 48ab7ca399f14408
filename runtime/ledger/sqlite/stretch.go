package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"math"
)

// defaultStretch is how many row numbers a long read looks at in one state of the ledger. For as long as it lasts, the log
// has to keep all that others write.
const defaultStretch = 10_000

// errOrder says that a table does not have its rows in the order of their numbers.
var errOrder = errors.New("its rows are out of order")

// eachStretch calls look for stretches of so many row numbers, in order, that have all rows of a table between them. Next is
// the query for the first row from a number on.
func eachStretch(ctx context.Context, db querier, stretch int64, next string, look func(first, last int64) error) error {
	for from, last := int64(math.MinInt64), int64(0); last < math.MaxInt64; from = last + 1 {
		var first sql.NullInt64
		err := db.QueryRowContext(ctx, next, from).Scan(&first)
		switch {
		case err != nil || !first.Valid:
			return err
		case first.Int64 < from:
			return errOrder
		}
		if last = math.MaxInt64; first.Int64 <= last-stretch {
			last = first.Int64 + stretch - 1
		}
		if err := look(first.Int64, last); err != nil {
			return err
		}
	}
	return nil
}
