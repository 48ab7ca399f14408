package sqlite_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		path := newQuickPath(t)
		return func(clock func() time.Time) ledger.Store { return open(t, path, sqlite.WithClock(clock)) }
	})
}

// newPath is where a ledger of its own may be.
func newPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data", "ledger.db")
}

// newQuickPath is newPath in memory, for ledgers that are small and written to, or opened, many times.
func newQuickPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(memory(t), "data", "ledger.db")
}

// memory is a directory that no disk has to keep up with, where the system has one.
func memory(t testing.TB) string {
	const files = "/dev/shm"
	dir, err := os.MkdirTemp(files, "ledger")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// patient keeps a machine that is busy with other things from failing a test, and has the log be copied into the file, and
// begun anew, in hundreds of writes rather than thousands.
var patient = sqlite.Together(sqlite.WithBusyTimeout(time.Minute), sqlite.WithLogPages(1000))

// open opens a ledger and closes it when the test ends.
func open(t *testing.T, path string, opts ...sqlite.Option) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, append([]sqlite.Option{patient}, opts...)...)
	if err != nil {
		t.Fatalf("open: %v", err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}
