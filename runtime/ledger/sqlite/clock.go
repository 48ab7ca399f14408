package sqlite

import (
	"context"
	"database/sql"
	"time"
)

// clockRow is the one row that every write changes.
type clockRow struct {
	newest time.Time // of all events; zero before the first
	writes int64     // that the ledger has taken
}

// clockFields are the values of clockColumns, to be bound or scanned.
func clockFields(c *clockRow) []any { return summed(moment{&c.newest}, &c.writes) }

// tick is the clock after a write at that time. It never goes back.
func (c clockRow) tick(at time.Time) clockRow {
	c.writes++
	if c.newest.IsZero() || at.After(c.newest) {
		c.newest = at
	}
	return c
}

// readClock reads the clock of the ledger behind db.
func readClock(ctx context.Context, db *sql.DB) (c clockRow, err error) {
	err = db.QueryRowContext(ctx, clockSQL).Scan(clockFields(&c)...)
	return c, err
}
