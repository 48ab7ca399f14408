package sqlite

import (
	"bytes"
	"database/sql/driver"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
	"github.com/klauspost/compress/s2"
)

const (
	// packMark begins what is stored in another form than it has. What begins with it by itself is stored in another form
	// too, so that the mark alone tells. JSON never does.
	packMark = "\x00csl"
	// The forms, each in the byte after the mark.
	formRaw        = 'r' // as it is
	formCompressed = 's' // a block of S2
	packHeader     = len(packMark) + 1

	// packFrom is from which length on bytes are compressed. Less than a page would not save a page.
	packFrom = 4 << 10
	// packLimit is up to which length they are. Nothing longer is read out of a compressed value, which could else be made to
	// fill the memory.
	packLimit = 16 << 20
)

// packed is a field of bytes, which takes less room in the file if it is long. Check sums are over what it holds.
type packed struct{ columns.Body }

// pack has the bytes among fields packed.
func pack(fields []any) []any {
	packing := make([]any, len(fields))
	for i, field := range fields {
		if body, ok := field.(columns.Body); ok {
			field = packed{body}
		}
		packing[i] = field
	}
	return packing
}

// Value implements driver.Valuer.
func (p packed) Value() (driver.Value, error) {
	value, err := p.Body.Value()
	if whole, ok := value.([]byte); ok {
		return packBytes(whole), err
	}
	return value, err
}

// Scan implements sql.Scanner.
func (p packed) Scan(src any) error {
	stored, ok := src.([]byte)
	if !ok {
		return p.Body.Scan(src)
	}
	whole, err := unpackBytes(stored)
	if err != nil {
		return err
	}
	return p.Body.Scan(whole)
}

// packBytes is what is stored of bytes.
func packBytes(whole []byte) []byte {
	if len(whole) >= packFrom && len(whole) <= packLimit {
		room := make([]byte, packHeader+s2.MaxEncodedLen(len(whole)))
		block := s2.Encode(room[packHeader:], whole)
		if length := packHeader + len(block); length < len(whole) {
			copy(room, packMark)
			room[packHeader-1] = formCompressed
			return bytes.Clone(room[:length])
		}
	}
	if bytes.HasPrefix(whole, []byte(packMark)) {
		return append(append([]byte(packMark), formRaw), whole...)
	}
	return whole
}

// unpackBytes are the bytes of which that was stored.
func unpackBytes(stored []byte) ([]byte, error) {
	rest, isPacked := bytes.CutPrefix(stored, []byte(packMark))
	switch {
	case !isPacked:
		return stored, nil
	case len(rest) > 0 && rest[0] == formRaw:
		return rest[1:], nil
	case len(rest) > 0 && rest[0] == formCompressed:
		return decompress(rest[1:])
	}
	return nil, errors.New("is in a form that this program does not know")
}

func decompress(block []byte) ([]byte, error) {
	length, err := s2.DecodedLen(block)
	if err != nil {
		return nil, fmt.Errorf("cannot be decompressed: %w", err)
	}
	if length > packLimit {
		return nil, fmt.Errorf("claims to hold %d bytes, and no compressed value has more than %d", length, packLimit)
	}
	whole, err := s2.Decode(make([]byte, length), block)
	if err != nil {
		return nil, fmt.Errorf("cannot be decompressed: %w", err)
	}
	return whole, nil
}
