package sqlite_test

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/klauspost/compress/s2"
)

// What begins a value that is stored in another form, one that is compressed, and one that only begins as those do.
const (
	packed       = "\x00csl"
	compressedAs = packed + "s"
	rawAs        = packed + "r"
)

// rows is a JSON document of about so many bytes, as a preview shows them.
func rows(length int) []byte {
	document := []byte(`[{"field":"name","before":"c0","after":"d0"}`)
	for n := 1; len(document) < length; n++ {
		document = fmt.Appendf(document, `,{"field":"name","before":"c%d","after":"d%d"}`, n, n*n)
	}
	return append(document, ']')
}

// TestAnyBytesAreReadAsTheyWereWritten writes what can be compressed, what cannot, and what looks like what was.
func TestAnyBytesAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"none":                         nil,
		"empty":                        {},
		"a little less than a page":    rows(4096)[:4095],
		"a page":                       rows(4096)[:4096],
		"a large document":             rows(300_000),
		"noise":                        sqlite.Noise(10_000),
		"more than is compressed":      bytes.Repeat([]byte("ab"), 9<<20),
		"what begins a packed value":   []byte(packed),
		"a compressed value":           s2.Encode(nil, rows(100)),
		"a packed value":               append([]byte(compressedAs), s2.Encode(nil, rows(100))...),
		"a packed value of no form":    []byte(packed + "x and more"),
		"a raw value":                  []byte(rawAs + "raw"),
		"a large one":                  append([]byte(rawAs), rows(10_000)...),
		"noise that looks like packed": append([]byte(compressedAs), sqlite.Noise(10_000)...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, newQuickPath(t))
			r := record(1)
			r.Payload = body
			must(t, s.Insert(t.Context(), r, ledger.Event{}))
			r.Revision, r.Result = 1, body
			must(t, s.Swap(t.Context(), r, r.ExpiresAt, ledger.Event{}))
			got, _, err := s.Get(t.Context(), r.ID)
			must(t, err)
			r.Revision, r.UpdatedAt = 2, got.UpdatedAt
			if !reflect.DeepEqual(r, got) { // cmp takes seconds for megabytes
				t.Errorf("what was written and what is read differ; of %d bytes of a payload %d are read", len(body), len(got.Payload))
			}
			expectSound(t, s)
		})
	}
}

// TestALargeValueTakesLessRoom looks at what is in the file.
func TestALargeValueTakesLessRoom(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	s := open(t, path)
	large, small := record(1), record(2)
	large.Payload, small.Payload = rows(64<<10), rows(4096)[:4095]
	must(t, s.Insert(t.Context(), large, ledger.Event{}))
	must(t, s.Insert(t.Context(), small, ledger.Event{}))
	if stored := storedPayload(t, path, 1); len(stored) > len(large.Payload)/2 || !bytes.HasPrefix(stored, []byte(compressedAs)) {
		t.Errorf("of %d bytes %d are stored, which begin with %q", len(large.Payload), len(stored), stored[:8])
	}
	if stored := storedPayload(t, path, 2); !bytes.Equal(stored, small.Payload) {
		t.Errorf("a small value is stored as %d other bytes", len(stored))
	}
}

// storedPayload is what is in a row.
func storedPayload(t *testing.T, path string, row int) (stored []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	must(t, db.QueryRowContext(t.Context(), "SELECT payload FROM changes WHERE n = ?", row).Scan(&stored))
	must(t, db.Close())
	return stored
}

// TestADamagedCompressedValueIsRefused writes others in the place of one, and nothing else of the row.
func TestADamagedCompressedValueIsRefused(t *testing.T) {
	t.Parallel()
	block := s2.Encode(nil, rows(10_000))
	flipped := bytes.Clone(block)
	flipped[len(flipped)/2] ^= 0xff
	for name, c := range map[string]struct{ stored, reason string }{
		"flipped":             {compressedAs + string(flipped), ""},
		"cut":                 {compressedAs + string(block[:len(block)/2]), "cannot be decompressed"},
		"empty":               {compressedAs, "cannot be decompressed"},
		"of another document": {compressedAs + string(s2.Encode(nil, rows(9_000))), "check sum"},
		"of no form":          {packed + "z" + string(block), "a form that"},
		"of no form at all":   {packed, "a form that"},
		"a bomb":              {compressedAs + string(s2.Encode(nil, make([]byte, 17<<20))), "claims to hold 17825792 bytes"},
		"one that lies":       {compressedAs + string(binary.AppendUvarint(nil, 1<<32-1)), "claims to hold 4294967295 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, path := twoChanges(t)
			r := record(2)
			r.Payload = rows(10_000)
			must(t, s.Insert(t.Context(), r, ledger.Event{}))
			execute(fmt.Sprintf("UPDATE changes SET payload = x'%x' WHERE n = 3", c.stored))(t, path)
			_, _, err := s.Get(t.Context(), r.ID)
			if expectError(t, "get", err, ledger.ErrCorrupt); !strings.Contains(fmt.Sprint(err), c.reason) {
				t.Errorf("%v does not say %q", err, c.reason)
			}
			expectLastDamaged(t, s, r.ID)
		})
	}
}

// expectLastDamaged expects that of three changes the last cannot be read, and the others can.
func expectLastDamaged(t *testing.T, s *sqlite.Store, id string) {
	t.Helper()
	found, err := s.List(t.Context(), ledger.Query{})
	var damaged *ledger.DamagedError
	if !errors.As(err, &damaged) || damaged.ID != id || len(found) != 2 {
		t.Errorf("%d are listed before %v", len(found), err)
	}
	faults, err := s.Check(t.Context())
	if must(t, err); len(faults) != 1 || !strings.Contains(faults[0], id) {
		t.Errorf("the faults are %q", faults)
	}
}
