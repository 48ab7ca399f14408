package sqlite

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// sumBytes is the length of a check sum. It is no secret and proves nothing about who wrote a row; it finds what a disk
// or a stray program did to it.
const sumBytes = 8

// Room for the fields of most rows.
const (
	usualRow   = 2048
	usualEvent = 256
)

// errSum says that a row is not as it was written.
var errSum = errors.New("its check sum does not fit")

// sum is the check sum of the fields before it, in a BLOB column: made when it is bound, compared when it is scanned.
// SQLite itself checks how its pages hang together, and not what the rows say.
type sum struct{ fields []any }

// summed is fields with their check sum.
func summed(fields ...any) []any { return append(fields, sum{fields}) }

// Value implements driver.Valuer.
func (s sum) Value() (driver.Value, error) {
	digest, err := digestFields(s.fields)
	return digest[:sumBytes], err
}

// Scan implements sql.Scanner. The fields have been scanned before it.
func (s sum) Scan(src any) error {
	want, err := s.Value()
	if err != nil {
		return err
	}
	if got, ok := src.([]byte); !ok || !bytes.Equal(got, want.([]byte)) {
		return errSum
	}
	return nil
}

// digested stands for fields that a check sum covers by their digest, which is made before the rest is known.
type digested struct{ fields []any }

// Value implements driver.Valuer.
func (d digested) Value() (driver.Value, error) {
	digest, err := digestFields(d.fields)
	return digest[:], err
}

func digestFields(fields []any) (digest [sha256.Size]byte, err error) {
	var room [usualRow]byte
	covered := room[:0]
	for _, field := range fields {
		if covered, err = appendField(covered, field); err != nil {
			return digest, err
		}
	}
	return sha256.Sum256(covered), nil
}

// appendField writes a field so that no two lists of fields become the same bytes: what is bound of it, whichever of the two
// is given. A time counts to the millisecond, as it is stored.
func appendField(to []byte, field any) ([]byte, error) {
	switch f := field.(type) {
	case *string:
		return appendText(to, *f), nil
	case *ledger.Status:
		return appendText(to, *f), nil
	case *int64:
		return appendNumber(to, *f), nil
	case *bool:
		return appendNumber(to, number(*f)), nil
	case string:
		return appendText(to, f), nil
	case []byte:
		return appendText(to, f), nil
	case int64:
		return appendNumber(to, f), nil
	case nil:
		return append(to, 'n'), nil
	case driver.Valuer:
		value, err := f.Value()
		if err != nil {
			return nil, err
		}
		return appendField(to, value)
	}
	return nil, fmt.Errorf("a %T has no check sum", field)
}

// plain is what is bound of a field.
func plain(field any) (driver.Value, error) {
	switch f := field.(type) {
	case *string:
		return *f, nil
	case *ledger.Status:
		return string(*f), nil
	case *int64:
		return *f, nil
	case *bool:
		return number(*f), nil
	case columns.Field:
		return f.Value()
	}
	return driver.DefaultParameterConverter.ConvertValue(field)
}

// number is how SQLite keeps a truth.
func number(truth bool) int64 {
	if truth {
		return 1
	}
	return 0
}

func appendNumber(to []byte, n int64) []byte { return binary.AppendVarint(append(to, 'i'), n) }

func appendText[T ~string | ~[]byte](to []byte, text T) []byte {
	return append(binary.AppendUvarint(append(to, 'b'), uint64(len(text))), text...)
}
