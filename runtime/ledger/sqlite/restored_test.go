package sqlite_test

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// manyChanges is enough for the log to be copied into the file and begun anew.
const manyChanges = 700

// TestABackupCopiedOverALedgerInUseIsRefused writes an older copy over the files of a ledger that is open, as cp does: the
// files stay the same, and their content is another. A claim that the copy does not know could be made again.
func TestABackupCopiedOverALedgerInUseIsRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be written over here")
	}
	everyFile := []string{"", "-wal", "-shm", ".mark"}
	for name, c := range map[string]struct {
		later  int      // changes since the copy was made
		again  bool     // the ledger is closed and opened before the copy comes back
		copied []string // endings of the files
	}{
		"the file, once its log was begun anew": {later: manyChanges, copied: []string{""}},
		"the file, after a restart":             {later: 1, again: true, copied: []string{""}},
		"the file and its mark":                 {later: manyChanges, copied: []string{"", ".mark"}},
		"all files, soon":                       {later: 1, copied: everyFile},
		"all files, late":                       {later: manyChanges, copied: everyFile},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := open(t, path)
			r := record(0)
			must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
			backup := readAll(t, path, c.copied)
			r.Revision, r.Status = 1, ledger.Applying
			must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying}))
			for n := range c.later {
				change := record(n + 1)
				change.Payload = sqlite.Noise(pageSize)
				must(t, s.Insert(t.Context(), change, ledger.Event{To: ledger.Pending}))
			}
			if c.again {
				must(t, s.Close())
				s = open(t, path)
			}
			for ending, content := range backup {
				must(t, os.WriteFile(path+ending, content, 0o600))
			}
			before := read(t, path+".mark")
			for range 2 {
				expectError(t, "swap", s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying}), ledger.ErrCorrupt)
				expectError(t, "insert", s.Insert(t.Context(), record(manyChanges+1), ledger.Event{}), ledger.ErrCorrupt)
			}
			must(t, s.Close())
			if diff := cmp.Diff(string(before), string(read(t, path+".mark"))); diff != "" {
				t.Errorf("the mark changed (-before +after):\n%s", diff)
			}
			if !slices.Contains(c.copied, ".mark") { // else nobody can know who comes later
				expectRefusal(t, path, ledger.ErrCorrupt)
			}
		})
	}
}

// TestABackupCopiedOverALedgerIsNotMixedWithItsLog has an older copy put in the place of a ledger that is open, and then
// closed without another write, or whose process was killed.
func TestABackupCopiedOverALedgerIsNotMixedWithItsLog(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be written over here")
	}
	path := newPath(t)
	create(t, path)
	older := read(t, path)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(2), ledger.Event{}))
	must(t, s.Close())
	s = open(t, path)
	must(t, s.Insert(t.Context(), record(3), ledger.Event{}))
	must(t, os.WriteFile(path, older, 0o600))
	must(t, s.Close())
	expectRefusal(t, path, ledger.ErrCorrupt)
}

// TestACopyWrittenOverAFileThatHasNoMoreIsRefused writes a copy of the ledger over its file, which had no more writes than
// the copy: all of them are only in its log, or have been copied out of it before. The log, which has a claim, must stay.
func TestACopyWrittenOverAFileThatHasNoMoreIsRefused(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be written over here")
	}
	for name, c := range map[string]struct {
		changes          int
		again, writtenTo bool // the ledger is opened anew before the copy is made, and written to afterwards
	}{
		"a new ledger":              {1, false, false},
		"a new ledger, used":        {1, false, true},
		"a ledger":                  {40, false, false},
		"a ledger, used":            {40, false, true},
		"after a restart":           {40, true, false},
		"after a restart, and used": {40, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := open(t, path)
			for n := range c.changes {
				r := record(n)
				r.Payload = sqlite.Noise(pageSize)
				must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
			}
			if c.again {
				must(t, s.Close())
				s = open(t, path)
			}
			copied := read(t, backup(t, s))
			r := record(0)
			r.Revision, r.Status = 1, ledger.Applying
			must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying}))
			must(t, os.WriteFile(path, copied, 0o600))
			log := read(t, path+"-wal")
			if c.writtenTo {
				expectError(t, "insert", s.Insert(t.Context(), record(99), ledger.Event{}), ledger.ErrCorrupt)
			}
			must(t, s.Close())
			if !bytes.Equal(log, read(t, path+"-wal")) {
				t.Error("the log changed")
			}
			expectRefusal(t, path, ledger.ErrCorrupt)
		})
	}
}

// TestAMarkIsNeverLowered has the mark say more than the ledger, as it does when another process wrote to a ledger that
// this one does not see.
func TestAMarkIsNeverLowered(t *testing.T) {
	t.Parallel()
	path, further := newPath(t), newPath(t)
	create(t, further)
	f := open(t, further)
	must(t, f.Insert(t.Context(), record(2), ledger.Event{}))
	must(t, f.Insert(t.Context(), record(3), ledger.Event{}))
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{}))
	mark := read(t, further+".mark")
	must(t, os.WriteFile(path+".mark", mark, 0o600))
	expectError(t, "insert", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrCorrupt)
	must(t, s.Close())
	if diff := cmp.Diff(string(mark), string(read(t, path+".mark"))); diff != "" {
		t.Errorf("the mark changed (-before +after):\n%s", diff)
	}
}

// TestProcessesThatShareALedgerCopyItsLogInTurn makes sure that what one process did to the file is no damage to another.
func TestProcessesThatShareALedgerCopyItsLogInTurn(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	c := spawn(t, "writer", path)
	for n := range 30 {
		for range 20 {
			c.line(t)
		}
		must(t, s.Insert(t.Context(), record(n), ledger.Event{}))
	}
	c.kill(t)
	must(t, s.Insert(t.Context(), record(100), ledger.Event{}))
}

// readAll reads those files of a ledger that are there.
func readAll(t *testing.T, path string, endings []string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, ending := range endings {
		content, err := os.ReadFile(path + ending)
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		must(t, err)
		all[ending] = content
	}
	return all
}
