package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// FuzzOpenDamaged opens a ledger of which some bytes are others. It is refused with a reason and left alone, or works as
// far as it goes.
func FuzzOpenDamaged(f *testing.F) {
	for offset, patch := range map[uint32]string{
		0: "not a database", 16: "\x02\x00", 18: "\x01\x01", 19: "\x30", 28: "\x00\x00\x00\x01", 40: "\xff", 60: "\x7f", 68: "\x00\x00\x00\x00",
		100: "\x0a", 103: "\xff\xff", 4096: "\x0d\x00\x00", 8195: "\xff", 12300: "\x00",
	} {
		f.Add(offset, []byte(patch))
	}
	whole := wholeLedger(f)
	f.Fuzz(func(t *testing.T, offset uint32, patch []byte) {
		damaged := bytes.Clone(whole)
		copy(damaged[int(offset)%len(damaged):], patch)
		path := filepath.Join(t.TempDir(), "ledger.db")
		must(t, os.WriteFile(path, damaged, 0o600))
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			if !errors.Is(err, ledger.ErrCorrupt) && !errors.Is(err, ledger.ErrUnsupported) && !strings.Contains(err.Error(), "damaged") {
				t.Errorf("open: %v, which does not say that the file is to blame", err)
			}
			if !bytes.Equal(read(t, path), damaged) {
				t.Errorf("refused, and changed: %v", err)
			}
			return
		}
		use(t, s)
		_ = s.Close()
	})
}

// use calls everything; it may fail, and must not panic.
func use(t *testing.T, s *sqlite.Store) {
	records, _ := s.List(t.Context(), ledger.Query{})
	for _, r := range append(records, record(1), record(2)) {
		_, _, _ = s.Get(t.Context(), r.ID)
		_, _ = s.Events(t.Context(), r.ID)
		_ = s.Swap(t.Context(), r, r.ExpiresAt, ledger.Event{})
		_ = s.Insert(t.Context(), r, ledger.Event{})
	}
	_, _ = s.Now(t.Context())
}

// wholeLedger is the content of a ledger with a few changes.
func wholeLedger(f *testing.F) []byte {
	path := filepath.Join(f.TempDir(), "ledger.db")
	s, err := sqlite.Open(f.Context(), path)
	if err != nil {
		f.Fatal(err)
	}
	for n := range 20 {
		if err := s.Insert(f.Context(), record(n), ledger.Event{}); err != nil {
			f.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return content
}
