package sqlite

import "database/sql/driver"

// keptRows is how many changes a store knows the row of, so that it need not look for them: those that wait or run, mostly.
const keptRows = 4096

// knownRow is where a change was when it was written last, and when it had been claimed. Others may have written it since, or
// removed it: what is written by it has to make sure.
type knownRow struct {
	row     int64
	claimed driver.Value
}

// know keeps where a change is.
func (w *writer) know(id string, at knownRow) {
	if len(w.rows) == keptRows {
		clear(w.rows)
	}
	w.rows[id] = at
}
