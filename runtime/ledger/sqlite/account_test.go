package sqlite_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestAClockThatWasMovedIsRefused changes a bit of the time of the newest event, or of the number of writes, in a ledger
// that is too large to be checked as a whole.
func TestAClockThatWasMovedIsRefused(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]string{
		"by eight months":     "UPDATE ledger SET newest = newest + (1 << 34)",
		"beyond all times":    "UPDATE ledger SET newest = newest + (1 << 60)",
		"back":                "UPDATE ledger SET newest = newest - 1",
		"to none":             "UPDATE ledger SET newest = NULL",
		"with more writes":    "UPDATE ledger SET writes = writes + (1 << 40)",
		"and its row is gone": "DELETE FROM ledger",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := open(t, path)
			r := record(1)
			r.Payload = sqlite.Noise(17 << 20)
			must(t, s.Insert(t.Context(), r, ledger.Event{}))
			execute(move)(t, path)
			_, err := s.Now(t.Context())
			expectError(t, "now", err, ledger.ErrCorrupt)
			_, _, err = s.Get(t.Context(), r.ID)
			expectError(t, "get", err, ledger.ErrCorrupt)
			r.Revision = 1
			expectError(t, "swap", s.Swap(t.Context(), r, time.Time{}, ledger.Event{}), ledger.ErrCorrupt)
			expectError(t, "insert", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrCorrupt)
			must(t, s.Close())
			expectRefusal(t, path, ledger.ErrCorrupt)
		})
	}
}
