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

// FuzzRecord writes a record with any texts, bytes, numbers and times, and reads it back. What would not read back as it
// was is refused, and is only what says something that is no text.
func FuzzRecord(f *testing.F) {
	f.Add("chg_1", "", []byte(nil), int64(0))
	f.Add("id", "'; DROP TABLE changes; -- \x00 \u202e", []byte{}, int64(-1))
	f.Add("", "\u00fc", []byte("\x00\xff"), int64(1_800_000_000_000))
	f.Add("chg_2", "M\xfcller", []byte("{}"), int64(1))
	f.Add("\xff\x00", "\u2028 <&> \ufffd", []byte("{}"), int64(-62_135_596_800_000))
	s, err := sqlite.Open(f.Context(), filepath.Join(memory(f), "ledger.db"), patient)
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = s.Close() })
	runs := 0
	f.Fuzz(func(t *testing.T, id, text string, bytes []byte, number int64) {
		runs++
		id = fmt.Sprintf("%d %s", runs, id) // the ledger is that of all runs, and nothing is to be in it twice
		r := recordOf(id, text, bytes, number)
		err := s.Insert(t.Context(), r, ledger.Event{Reason: text})
		if isText := utf8.ValidString(text); err == nil != isText {
			t.Fatalf("inserting a record with the text %q: %v", text, err)
		}
		got, _, readErr := s.Get(t.Context(), id)
		if err != nil {
			expectError(t, "get what was refused", readErr, ledger.ErrNotFound)
			return
		}
		must(t, readErr)
		r.Revision, r.UpdatedAt = 1, got.UpdatedAt
		if diff := cmp.Diff(r, got); diff != "" {
			t.Errorf("the record (-want +got):\n%s", diff)
		}
		if events, err := s.Events(t.Context(), id); err != nil || len(events) != 1 || events[0].Reason != text {
			t.Errorf("the events are %v, %v", events, err)
		}
	})
}

// recordOf is a record with all kinds of fields.
func recordOf(id, text string, bytes []byte, number int64) ledger.Record {
	at := time.UnixMilli(number % maxMilliseconds).UTC()
	request := id + text
	return ledger.Record{
		Fixed: ledger.Fixed{
			ID: id, Server: text, Payload: bytes, CreatedAt: at, RequestID: request, RetryOf: request, Rejected: text,
			TTL: max(time.Duration(number%maxSpan)*time.Millisecond, -1), Items: number, Sensitive: bytes,
		},
		Mutable: ledger.Mutable{
			Status: ledger.Status(text), ExpiresAt: at, ClaimedAt: at, RetryID: text, SensitiveNow: bytes,
			Decision:     ledger.Decision{Verdict: ledger.Approved, At: at, By: text, Reason: text},
			UndoDecision: ledger.Decision{Verdict: ledger.DecisionVerdict(text), Digest: text},
			UndoRequest:  ledger.Request{At: at, By: text, Channel: text},
			Finding:      ledger.Finding{Saw: text},
		},
	}
}

// TestWhatWouldNotReadBackIsNotWritten has each text of a decision, a request and a finding be none, one at a time.
func TestWhatWouldNotReadBackIsNotWritten(t *testing.T) {
	t.Parallel()
	const noText = "M\xfcller"
	s := open(t, newPath(t))
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	for name, change := range map[string]func(*ledger.Record){
		"who decided":   func(r *ledger.Record) { r.Decision.By = noText },
		"why":           func(r *ledger.Record) { r.UndoDecision.Reason = noText },
		"who asked":     func(r *ledger.Record) { r.UndoRequest.By = noText },
		"what was seen": func(r *ledger.Record) { r.Finding.Saw = noText },
		"a year of no date": func(r *ledger.Record) {
			r.Decision = ledger.Decision{At: time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)}
		},
	} {
		fresh, old := record(2), record(1)
		change(&fresh)
		change(&old)
		old.Revision = 1
		if err := s.Insert(t.Context(), fresh, ledger.Event{}); err == nil {
			t.Errorf("%s: inserted", name)
		}
		if err := s.Swap(t.Context(), old, time.Time{}, ledger.Event{}); err == nil || errors.Is(err, ledger.ErrCorrupt) {
			t.Errorf("%s: swapped, %v", name, err)
		}
	}
	if all := everythingIn(t, s); len(all) != 1 || all[record(1).ID].Record.Revision != 1 {
		t.Errorf("the ledger has %v", all)
	}
	expectSound(t, s)
}

func TestATimeThatIsCutToNoneIsNone(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	r := record(1)
	r.ClaimedAt = time.Time{}.Add(time.Nanosecond)
	must(t, s.Insert(t.Context(), r, ledger.Event{}))
	if got, _, err := s.Get(t.Context(), r.ID); err != nil || !got.ClaimedAt.IsZero() {
		t.Errorf("claimed at %v, %v", got.ClaimedAt, err)
	}
}

const (
	// maxMilliseconds keeps times within the years that JSON can say.
	maxMilliseconds = 200_000_000_000_000
	// maxSpan keeps durations within their type, in milliseconds.
	maxSpan = 9_000_000_000_000
)
