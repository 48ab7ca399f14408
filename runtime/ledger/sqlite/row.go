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
		body{&r.Payload}, body{&r.State}, body{&r.Shown}, &r.ShownDigest, moment{&r.CreatedAt},
		&r.RequestID, &r.RequestHash, &r.RetryOf, &r.Rejected,
		&r.Approval, &r.UndoApproval, span{&r.TTL}, span{&r.UndoTTL}, &r.Items, body{&r.Sensitive},
	)
}

// mutableFields are the values of mutableColumns, to be bound or scanned. Their sum covers the revision, and the id, so
// that the parts of two rows are never taken for one.
func mutableFields(r *ledger.Record) []any {
	return summed(
		&r.ID, &r.Revision,
		&r.WriteID, &r.Status, moment{&r.UpdatedAt}, moment{&r.ExpiresAt}, body{&r.ApplyToken}, body{&r.UndoToken},
		decision(&r.Decision), decision(&r.UndoDecision), request(&r.UndoRequest),
		&r.ClaimID, &r.Holder, moment{&r.ClaimedAt},
		moment{&r.DoubtAt}, &r.DoubtReason, finding(&r.Finding), &r.Code, &r.Message, &r.Error, &r.Outcome, &r.RetryID,
		body{&r.Before}, body{&r.After}, body{&r.Result}, &r.ResultFlaw, body{&r.SensitiveNow},
		moment{&r.AppliedAt}, moment{&r.UndoExpiresAt},
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
	if m.isNone() {
		return nil, nil
	}
	return m.time.UnixMilli(), nil
}

// isNone tells that nothing is left of the time, or never was.
func (m moment) isNone() bool { return toMillisecond(*m.time).IsZero() }

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

// span is a duration in an INTEGER column, as milliseconds.
type span struct{ duration *time.Duration }

// Value implements driver.Valuer.
func (s span) Value() (driver.Value, error) { return s.milliseconds(), nil }

// Scan implements sql.Scanner.
func (s span) Scan(src any) error {
	v, ok := src.(int64)
	if !ok {
		return fmt.Errorf("holds %T where a duration belongs", src)
	}
	if v < 0 {
		*s.duration = -1 // as ledger.Fixed.UndoTTL says it
		return nil
	}
	*s.duration = time.Duration(v) * time.Millisecond
	return nil
}

// milliseconds are -1 for any negative duration.
func (s span) milliseconds() int64 {
	if *s.duration < 0 {
		return -1
	}
	return s.duration.Milliseconds()
}

// toMillisecond cuts t to what the ledger keeps of a time.
func toMillisecond(t time.Time) time.Time {
	return time.UnixMilli(t.UnixMilli()).UTC()
}
