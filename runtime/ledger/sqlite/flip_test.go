package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// TestAFlippedByteIsRefusedWhereverItIs flips bytes all over a ledger that was closed, one each time.
func TestAFlippedByteIsRefusedWhereverItIs(t *testing.T) {
	t.Parallel()
	const stride = 149 // a prime, so that all places of a page come up
	path := newQuickPath(t)
	writeChanges(t, path)
	whole := read(t, path)
	for offset := 0; offset < len(whole); offset += stride {
		flip(t, path, whole, offset)
		expectRefusalAsDamaged(t, path, offset)
	}
	must(t, os.WriteFile(path, whole, 0o600))
	if got := len(everything(t, path)); got != changesWritten {
		t.Errorf("%d changes are in the whole ledger, want %d", got, changesWritten)
	}
}

// TestAFlippedByteIsRefusedOrUnused flips bytes in a ledger that was not closed, or whose mark is lost. Either it is
// refused, or the byte was in the unused part of a page, and all that can be read is as it was.
func TestAFlippedByteIsRefusedOrUnused(t *testing.T) {
	t.Parallel()
	const stride = 611
	original := newQuickPath(t)
	writeChanges(t, original)
	whole, want := read(t, original), everything(t, original)
	refused := 0
	for offset := 0; offset < len(whole); offset += stride {
		path := filepath.Join(memory(t), "ledger.db")
		flip(t, path, whole, offset)
		s, err := sqlite.Open(t.Context(), path)
		if err != nil {
			expectRefusalAsDamaged(t, path, offset)
			refused++
			continue
		}
		must(t, s.Close())
		if diff := cmp.Diff(want, everything(t, path)); diff != "" {
			t.Errorf("byte %d was flipped and nobody noticed (-want +got):\n%s", offset, diff)
		}
	}
	if refused == 0 {
		t.Error("no flip was refused")
	}
}

// TestALargeLedgerIsCheckedAtItsRootAndItsEnd damages a ledger that is too large to be checked as a whole.
func TestALargeLedgerIsCheckedAtItsRootAndItsEnd(t *testing.T) {
	t.Parallel()
	const changes, payload = 20, 1 << 20
	path := newPath(t)
	s := open(t, path)
	for n := range changes {
		r := record(n)
		r.Payload = fmt.Appendf(sqlite.Noise(payload), "end of %d", n)
		must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
	}
	must(t, s.Close())
	whole := read(t, path)
	newest := bytes.Index(whole, fmt.Append(nil, "end of ", changes-1))
	for _, offset := range []int{pageSize, newest} {
		flip(t, path, whole, offset)
		expectRefusalAsDamaged(t, path, offset)
	}
	must(t, os.WriteFile(path, whole, 0o600))
	if got := len(everything(t, path)); got != changes {
		t.Errorf("%d changes are in the whole ledger, want %d", got, changes)
	}
}

// flip writes a ledger with one byte flipped.
func flip(t *testing.T, path string, whole []byte, offset int) {
	t.Helper()
	damaged := bytes.Clone(whole)
	damaged[offset] ^= 0xff
	must(t, os.WriteFile(path, damaged, 0o600))
}

func expectRefusalAsDamaged(t *testing.T, path string, offset int) {
	t.Helper()
	before := read(t, path)
	s, err := sqlite.Open(t.Context(), path)
	if err == nil {
		_ = s.Close()
	}
	if !errors.Is(err, ledger.ErrCorrupt) && !errors.Is(err, ledger.ErrUnsupported) {
		t.Errorf("byte %d: %v does not say that the ledger is damaged", offset, err)
	}
	if !bytes.Equal(read(t, path), before) {
		t.Errorf("byte %d: the file was refused, and changed: %v", offset, err)
	}
}

// changesWritten is how many changes writeChanges writes: enough for pages below pages.
const changesWritten = 12

// writeChanges makes a ledger of changes that have come to different statuses, and closes it.
func writeChanges(t *testing.T, path string) {
	t.Helper()
	s := open(t, path)
	for n := range changesWritten {
		writeChange(t, s, n)
	}
	must(t, s.Close())
}

// snapshot is all that a ledger tells of one change.
type snapshot struct {
	Record ledger.Record
	Events []ledger.Event
}

// everything reads all changes of a ledger.
func everything(t *testing.T, path string) map[string]snapshot {
	t.Helper()
	s := open(t, path)
	all := everythingIn(t, s)
	must(t, s.Close())
	return all
}

// everythingIn reads all changes of an open ledger.
func everythingIn(t *testing.T, s *sqlite.Store) map[string]snapshot {
	t.Helper()
	all := map[string]snapshot{}
	for listed, err := range ledger.All(t.Context(), s, ledger.Query{}) {
		must(t, err)
		r, _, err := s.Get(t.Context(), listed.ID)
		must(t, err)
		events, err := s.Events(t.Context(), r.ID)
		must(t, err)
		all[r.ID] = snapshot{r, events}
	}
	return all
}

// writeChange writes a change that has come as far as its number says.
func writeChange(t *testing.T, s *sqlite.Store, n int) {
	t.Helper()
	r := record(n)
	r.Payload, r.State, r.Shown = []byte(`{"key":"theme","value":"dark"}`), []byte(`{"value":"light"}`), make([]byte, 300)
	r.ExpiresAt = time.UnixMilli(1_800_000_000_000)
	must(t, s.Insert(t.Context(), r, ledger.Event{Actor: "agent", To: ledger.Pending}))
	steps := []ledger.Status{ledger.Applying, ledger.Applied, ledger.Undoing, ledger.Undone}
	for i, to := range steps[:n%(len(steps)+1)] {
		from := r.Status
		r.Revision, r.Status, r.ClaimID = int64(i+1), to, fmt.Sprint("claim ", i)
		must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{Actor: "guard", From: from, To: to}))
	}
}
