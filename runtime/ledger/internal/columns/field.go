package columns

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Bytes is the field of bytes: nil is NULL, and empty is not nil.
func Bytes(b *[]byte) Body { return Body{b} }

// Time is the field of a time, as Unix milliseconds: the zero time is NULL, and so is what would be cut to it.
func Time(t *time.Time) Field { return moment{t} }

// Duration is the field of a duration, as milliseconds: any that is negative is -1.
func Duration(d *time.Duration) Field { return span{d} }

// ToMillisecond cuts t to what a ledger keeps of a time.
func ToMillisecond(t time.Time) time.Time {
	return time.UnixMilli(t.UnixMilli()).UTC()
}

// Body is what Bytes makes, for stores that keep it in another form.
type Body struct{ bytes *[]byte }

// Value implements driver.Valuer.
func (b Body) Value() (driver.Value, error) {
	if *b.bytes == nil {
		return nil, nil
	}
	return *b.bytes, nil
}

// Scan implements sql.Scanner.
func (b Body) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*b.bytes = nil
	case []byte:
		// A driver may give what is empty as a nil slice; only an untyped nil is NULL.
		*b.bytes = append(make([]byte, 0, len(v)), v...)
	default:
		return fmt.Errorf("holds %T where bytes belong", src)
	}
	return nil
}

type moment struct{ time *time.Time }

// Value implements driver.Valuer.
func (m moment) Value() (driver.Value, error) {
	if ToMillisecond(*m.time).IsZero() {
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

type span struct{ duration *time.Duration }

// Value implements driver.Valuer.
func (s span) Value() (driver.Value, error) {
	if *s.duration < 0 {
		return int64(-1), nil
	}
	return s.duration.Milliseconds(), nil
}

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
