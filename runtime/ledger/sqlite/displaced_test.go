package sqlite_test

import (
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A claim that goes to a file which no other process will open is none.
func TestSwapRefusesALedgerThatIsNoLongerInItsPlace(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a file that is open can neither be removed nor replaced here")
	}
	for name, displace := range map[string]func(t *testing.T, path string){
		"the file is removed": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"its log is removed":  func(t *testing.T, path string) { must(t, os.Remove(path+"-wal")) },
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
