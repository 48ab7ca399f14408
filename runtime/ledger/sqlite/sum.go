package sqlite

import (
	"bytes"
	"crypto/sha256"
	"database/sql/driver"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// sumBytes is the length of a check sum. It is no secret and proves nothing about who wrote a row; it finds what a disk
// or a stray program did to it.
const sumBytes = 8

// usualRow is room for the fields of most rows.
const usualRow = 2048

// errSum says that a row is not as it was written.
var errSum = errors.New("its check sum does not fit")

// sum is the check sum of the fields before it, in a BLOB column: made when it is bound, compared when it is scanned.
// SQLite itself checks how its pages hang together, and not what the rows say.
type sum struct{ fields []any }

// summed is fields with their check sum.
func summed(fields ...any) []any { return append(fields, sum{fields}) }

// Value implements driver.Valuer.
func (s sum) Value() (driver.Value, error) {
	encoded := make([]byte, 0, usualRow)
	for _, field := range s.fields {
		var err error
		if encoded, err = appendField(encoded, field); err != nil {
			return nil, err
		}
	}
	digest := sha256.Sum256(encoded)
	return digest[:sumBytes], nil
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

// appendField writes a field so that no two lists of fields become the same bytes. A time counts to the millisecond, as
// it is stored.
func appendField(to []byte, field any) ([]byte, error) {
	switch f := field.(type) {
	case *string:
		return appendText(to, *f), nil
	case *ledger.Status:
		return appendText(to, *f), nil
	case *int64:
		return appendNumber(to, *f), nil
	case *bool:
		if *f {
			return appendNumber(to, 1), nil
		}
		return appendNumber(to, 0), nil
	case driver.Valuer:
		return appendValue(to, f)
	}
	return nil, fmt.Errorf("a %T has no check sum", field)
}

func appendValue(to []byte, field driver.Valuer) ([]byte, error) {
	value, err := field.Value()
	switch v := value.(type) {
	case nil:
		return append(to, 'n'), err
	case int64:
		return appendNumber(to, v), err
	case []byte:
		return appendText(to, v), err
	}
	return nil, fmt.Errorf("a %T has no check sum", value)
}

func appendNumber(to []byte, n int64) []byte { return binary.AppendVarint(append(to, 'i'), n) }

func appendText[T ~string | ~[]byte](to []byte, text T) []byte {
	return append(binary.AppendUvarint(append(to, 'b'), uint64(len(text))), text...)
}
