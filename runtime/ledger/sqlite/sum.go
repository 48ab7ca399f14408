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

// errSum says that a row is not as it was written.
var errSum = errors.New("its check sum does not fit")

// sum is the check sum of the fields before it, in a BLOB column: made when it is bound, compared when it is scanned.
// SQLite itself checks how its pages hang together, and not what the rows say.
type sum struct{ fields []any }

// summed is fields with their check sum.
func summed(fields ...any) []any { return append(fields, sum{fields}) }

// Value implements driver.Valuer.
func (s sum) Value() (driver.Value, error) {
	hash := sha256.New()
	for _, field := range s.fields {
		encoded, err := encodeField(field)
		if err != nil {
			return nil, err
		}
		hash.Write(encoded)
	}
	return hash.Sum(nil)[:sumBytes], nil
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

// encodeField writes a field so that no two lists of fields become the same bytes. A time counts to the millisecond, as
// it is stored.
func encodeField(field any) ([]byte, error) {
	switch f := field.(type) {
	case *string:
		return encodeBytes([]byte(*f)), nil
	case *ledger.Status:
		return encodeBytes([]byte(*f)), nil
	case *int64:
		return encodeNumber(*f), nil
	case *bool:
		if *f {
			return encodeNumber(1), nil
		}
		return encodeNumber(0), nil
	case driver.Valuer:
		return encodeValue(f)
	}
	return nil, fmt.Errorf("a %T has no check sum", field)
}

func encodeValue(field driver.Valuer) ([]byte, error) {
	value, err := field.Value()
	switch v := value.(type) {
	case nil:
		return []byte{'n'}, err
	case int64:
		return encodeNumber(v), err
	case []byte:
		return encodeBytes(v), err
	}
	return nil, fmt.Errorf("a %T has no check sum", value)
}

func encodeNumber(n int64) []byte { return binary.AppendVarint([]byte{'i'}, n) }

func encodeBytes(b []byte) []byte {
	return append(binary.AppendUvarint([]byte{'b'}, uint64(len(b))), b...)
}
