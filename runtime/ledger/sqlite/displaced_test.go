package sqlite_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// A claim that goes to a file which no other process will open is none.
func TestSwapRefusesALedgerThatIsNoLongerInItsPlace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open can neither be removed nor replaced here")
	}
	for name, displace := range map[string]func(t *testing.T, path string){
		"the file is removed":  func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"its log is removed":   func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")) },
		"its index is removed": func(t *testing.T, path string) { must(t, os.Remove(path+"-shm")) },
		"its index is replaced": func(t *testing.T, path string) {
			must(t, os.Remove(path+"-shm"))
			c := spawn(t, "opener", path)
			c.line(t)
		},
		"the file is replaced": func(t *testing.T, path string) {
			earlier := read(t, path)
			must(t, os.Remove(path))
			must(t, os.WriteFile(path, earlier, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := open(t, path)
			r := record(1)
			must(t, s.Insert(t.Context(), r, ledger.Event{}))
			displace(t, path)
			r.Revision, r.Status = 1, ledger.Applying
			expectError(t, "swap", s.Swap(t.Context(), r, time.Time{}, ledger.Event{}), ledger.ErrUnsupported)
			expectError(t, "insert", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrUnsupported)
		})
	}
}

// A process whose index was removed knows nothing of what others write from then on. It must not copy its idea of the log
// into the file when it closes.
func TestCloseOfADisplacedLedgerLeavesTheWritesOfOthersAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be removed here")
	}
	path := newQuickPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{}))
	must(t, os.Remove(path+"-shm"))
	var written []string
	c := spawn(t, "writer", path)
	for range 400 { // enough for the log to be begun anew
		written = append(written, c.line(t))
	}
	written = append(written, c.kill(t)...)
	must(t, s.Close())
	s = open(t, path)
	for _, id := range written {
		if r, _, err := s.Get(t.Context(), id); err != nil || r.Status != ledger.Applying {
			t.Fatalf("%s was acknowledged and is %q afterwards (%v)", id, r.Status, err)
		}
	}
}

func TestOpenRefusesALedgerWhoseIndexThisProcessHasLost(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open cannot be removed here")
	}
	path := newPath(t)
	open(t, path)
	must(t, os.Remove(path+"-shm"))
	_, err := sqlite.Open(t.Context(), path, patient)
	expectError(t, "open", err, ledger.ErrUnsupported)
}
