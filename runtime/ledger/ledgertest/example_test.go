package ledgertest_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// The test of a store. Each subtest has a ledger of its own, here a file, which is opened as often as the subtest likes.
func ExampleRun() {
	testConformance := func(t *testing.T) { // TestConformance, beside the store
		ledgertest.Run(t, func(t *testing.T) ledgertest.Opener {
			path := filepath.Join(t.TempDir(), "ledger", "changes.db")
			return func(clock func() time.Time) ledger.Store {
				store, err := sqlite.Open(t.Context(), path, sqlite.WithClock(clock), sqlite.WithBusyTimeout(time.Minute))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = store.Close() })
				return store
			}
		})
	}
	_ = testConformance
}
