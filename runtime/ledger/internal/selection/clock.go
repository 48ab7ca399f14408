package selection

import "time"

// Clock is the time by which changes are selected.
type Clock struct {
	now time.Time
	sql string // in place of it
}

// At is a clock that the program has read.
func At(now time.Time) Clock { return Clock{now: now} }

// Expression is a clock that the query reads: what it calls the present, in Unix milliseconds.
func Expression(sql string) Clock { return Clock{sql: sql} }

// ago is the time that was so long ago, in SQL, with its arguments.
func (c Clock) ago(d time.Duration) (sql string, args []any) {
	switch {
	case c.sql == "":
		return "?", []any{c.now.Add(-d).UnixMilli()}
	case d == 0:
		return c.sql, nil
	}
	return c.sql + " - ?", []any{d.Milliseconds()}
}
