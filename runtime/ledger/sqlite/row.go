package sqlite

import (
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// fixedFields are the values of fixedColumns, to be bound or scanned.
func fixedFields(r *ledger.Record) []any {
	return summed(
		&r.ID, &r.Server, &r.Operation, &r.Scope, &r.Caller, &r.Digest, &r.UndoDigest, &r.PayloadHash,
		body{&r.Payload}, body{&r.State}, body{&r.Shown}, moment{&r.CreatedAt}, moment{&r.ExpiresAt},
	)
}

// mutableFields are the values of mutableColumns, to be bound or scanned. Their sum covers the revision, and the id, so
// that the parts of two rows are never taken for one.
func mutableFields(r *ledger.Record) []any {
	return summed(
		&r.ID, &r.Revision,
		&r.Status, moment{&r.UpdatedAt}, body{&r.ApplyToken}, body{&r.UndoToken}, &r.ClaimID, &r.Holder,
		moment{&r.DoubtAt}, &r.DoubtReason, &r.Code, &r.Message, &r.Error, &r.Outcome,
		body{&r.Before}, body{&r.After}, body{&r.Result}, &r.ResultFlaw, moment{&r.AppliedAt}, moment{&r.UndoExpiresAt},
	)[2:]
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
	return summed(&e.change, &e.Seq, moment{&e.At}, &e.Actor, &e.From, &e.To, &e.Code, &e.Reason)
}

// body is bytes in a BLOB column; nil is NULL, and empty is not nil.
type body struct{ bytes *[]byte }

// Value implements driver.Valuer.
func (b body) Value() (driver.Value, error) {
	if *b.bytes == nil {
		return nil, nil
	}
	return *b.bytes, nil
}

// Scan implements sql.Scanner.
func (b body) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*b.bytes = nil
	case []byte:
		// The driver gives an empty BLOB as a nil slice; only an untyped nil is NULL.
		*b.bytes = append(make([]byte, 0, len(v)), v...)
	default:
		return fmt.Errorf("holds %T where bytes belong", src)
	}
	return nil
}

// moment is a time in an INTEGER column, as Unix milliseconds; the zero time is NULL.
type moment struct{ time *time.Time }

// Value implements driver.Valuer.
func (m moment) Value() (driver.Value, error) {
	if m.time.IsZero() {
		return nil, nil
	}
	return m.time.UnixMilli(), nil
}

// Scan implements sql.Scanner.
func (m moment) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*m.time = time.Time{}
	case int64:
		*m.time = time.UnixMilli(v).UTC()
	default:
		return fmt.Errorf("holds %T where a time belongs", src)
	}
	return nil
}

// toMillisecond cuts t to what the ledger keeps of a time.
func toMillisecond(t time.Time) time.Time {
	return time.UnixMilli(t.UnixMilli()).UTC()
}
