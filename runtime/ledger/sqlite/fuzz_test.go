package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
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
		path := filepath.Join(memory(t), "ledger.db")
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
		use(t, s, filepath.Dir(path))
		_ = s.Close()
	})
}

// use calls everything; it may fail, and must not panic.
func use(t *testing.T, s *sqlite.Store, dir string) {
	records, _ := s.List(t.Context(), ledger.Query{})
	for _, r := range append(records[:min(len(records), 1)], record(1), record(100)) {
		_, _, _ = s.Get(t.Context(), r.ID)
		_, _ = s.Events(t.Context(), r.ID)
		_ = s.Swap(t.Context(), r, r.ExpiresAt, ledger.Event{}, ledger.Cap{Of: ledger.Query{Unexpired: true}, Max: 1})
		_ = s.Insert(t.Context(), r, ledger.Event{})
	}
	_, _ = s.Now(t.Context())
	_, _ = s.Count(t.Context(), ledger.Query{UndoOver: true})
	_, _ = s.Check(t.Context())
	_, _ = s.Holders(t.Context())
	_, _ = s.Stats(t.Context())
	_, _ = s.SensitiveKey(t.Context())
	_, _ = s.Prune(t.Context(), ledger.Query{}, 1)
	_ = s.Backup(t.Context(), filepath.Join(dir, "copy.db"))
}

// wholeLedger is the content of a ledger with changes of every history, with every field set.
func wholeLedger(f *testing.F) []byte {
	path := filepath.Join(memory(f), "ledger.db")
	if err := writeHistories(f.Context(), path, everyField); err != nil {
		f.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	return content
}

// FuzzRecord writes a record with any texts, bytes, numbers and times, and reads it back.
func FuzzRecord(f *testing.F) {
	f.Add("chg_1", "", []byte(nil), int64(0))
	f.Add("id", "'; DROP TABLE changes; -- \x00 \u202e", []byte{}, int64(-1))
	f.Add("", "\u00fc", []byte("\x00\xff"), int64(1_800_000_000_000))
	s, err := sqlite.Open(f.Context(), filepath.Join(memory(f), "ledger.db"), patient)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	runs := 0
	f.Fuzz(func(t *testing.T, id, text string, bytes []byte, number int64) {
		if !utf8.ValidString(id+text) || strings.Contains(id, "\x00") {
			return // a guard makes its ids, and takes no text that is none
		}
		runs++
		id = fmt.Sprintf("%d %s", runs, id) // the ledger is that of all runs, and nothing is to be in it twice
		request := id + text
		at := time.UnixMilli(number % maxMilliseconds).UTC()
		r := ledger.Record{
			Fixed: ledger.Fixed{
				ID: id, Server: text, Payload: bytes, CreatedAt: at, RequestID: request, RetryOf: request, Rejected: text,
				TTL: time.Duration(number%maxMilliseconds) * time.Millisecond, Items: number, Sensitive: bytes,
			},
			Mutable: ledger.Mutable{
				Status: ledger.Status(text), ExpiresAt: at, ClaimedAt: at, RetryID: text, SensitiveNow: bytes,
				Decision:    ledger.Decision{Verdict: ledger.Approved, At: at, By: text, Reason: text},
				UndoRequest: ledger.Request{At: at, By: text, Channel: text},
			},
		}
		r.TTL = max(r.TTL, -1)
		must(t, s.Insert(t.Context(), r, ledger.Event{Reason: text}))
		got, _, err := s.Get(t.Context(), id)
		must(t, err)
		r.Revision, r.UpdatedAt = 1, got.UpdatedAt
		if diff := cmp.Diff(r, got); diff != "" {
			t.Errorf("the record (-want +got):\n%s", diff)
		}
	})
}

// maxMilliseconds keeps times within the years that JSON can say.
const maxMilliseconds = 200_000_000_000_000
