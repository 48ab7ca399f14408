package sqlite

import (
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// fixedFields are the values of fixedColumns, to be bound or scanned.
func fixedFields(r *ledger.Record) []any { return pack(summed(columns.FixedOf(r)...)) }

// mutableFields are the values of mutableColumns, to be bound or scanned. Their sum covers the revision, and the id, so
// that the parts of two rows are never taken for one.
func mutableFields(r *ledger.Record) []any {
	fields := columns.MutableOf(r)
	last := len(fields) - 1
	early := append([]any{&r.ID, &r.Revision}, fields[:last]...)
	return pack(append(fields, sum{[]any{digested{early}, fields[last]}}))
}

// recordFields are the values of recordColumns, to be bound or scanned.
func recordFields(r *ledger.Record) []any {
	return append(append(fixedFields(r), &r.Revision), mutableFields(r)...)
}

// eventRow is an event with the row of its change.
type eventRow struct {
	ledger.Event
	change int64
}

// eventFields are the values of eventColumns, to be bound or scanned.
func eventFields(e *eventRow) []any {
	return summed(append([]any{&e.change}, columns.EventOf(&e.Event)...)...)
}
