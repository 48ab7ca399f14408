package runtime_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// ledgerKind is a kind of ledger that a test runs over.
type ledgerKind struct {
	name string
	// address is where a ledger of its own is for a test whose files are in directory. Processes are told it.
	address func(t testing.TB, directory string) string
}

var ledgerKinds = []ledgerKind{
	{"sqlite", func(_ testing.TB, directory string) string { return fileIn(directory) }},
}

// fileIn is where the ledger of a test is that is about no kind of it.
func fileIn(directory string) string { return filepath.Join(directory, "ledger", "changes.db") }

// onEachLedger runs a test over each kind of ledger.
func onEachLedger(t *testing.T, test func(t *testing.T, kind ledgerKind)) {
	t.Parallel()
	for _, kind := range ledgerKinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			test(t, kind)
		})
	}
}

// openAt opens the ledger at an address. A nil clock is that of the host, or of the database.
func openAt(ctx context.Context, address string, clock func() time.Time) (ledger.Store, error) {
	quiet := slog.New(slog.DiscardHandler)
	return sqlite.Open(ctx, address, sqlite.WithBusyTimeout(patience), sqlite.WithClock(clock), sqlite.WithLogger(quiet))
}

// openLedgerAt opens the ledger at an address until the test ends.
func openLedgerAt(t testing.TB, address string, clock *fakeClock) ledger.Store {
	t.Helper()
	store, err := openAt(t.Context(), address, clock.read)
	if err != nil {
		t.Fatalf("open the ledger: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// over has a world keep its changes in a ledger of that kind.
func over(t testing.TB, kind ledgerKind) func(*world) {
	return func(w *world) {
		w.store = openLedgerAt(t, kind.address(t, t.TempDir()), w.clock)
		w.options.Store = w.store
	}
}
