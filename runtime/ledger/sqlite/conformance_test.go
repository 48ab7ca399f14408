package sqlite_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
		path := newPath(t)
		return func(clock func() time.Time) ledger.Store { return open(t, path, sqlite.WithClock(clock)) }
	})
}

// newPath is where a ledger of its own may be.
func newPath(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "data", "ledger.db")
}

// patient keeps a machine that is busy with other things from failing a test.
var patient = sqlite.WithBusyTimeout(time.Minute)

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
