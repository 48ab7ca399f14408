package runtime_test

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// ledgerKind is a kind of ledger that a test runs over.
type ledgerKind struct {
	name string
	// address is where a new ledger is for a test whose files are in directory. Processes are told it.
	address func(t testing.TB, directory string) string
}

// ledgerKinds are those that what is promised of processes, crashes and faults is tested over.
var ledgerKinds = []ledgerKind{
	{"sqlite", func(_ testing.TB, directory string) string { return fileIn(directory) }},
	inPostgres,
}

// inPostgres is a ledger in a database.
var inPostgres = ledgerKind{"postgres", func(t testing.TB, _ string) string { return pgcluster.Shared(t).NewDatabase(t) + fewConnections }}

// fewConnections are enough for a process of a test, of which there are many at once.
const fewConnections = "&pool_max_conns=4"

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

// ledgerKey is what the hashes of sensitive values are made with in a database.
var ledgerKey = bytes.Repeat([]byte{7}, 32)

// inDatabase tells whether a ledger is in a database of PostgreSQL, and not in a file.
func inDatabase(address string) bool { return strings.HasPrefix(address, "postgres://") }

// longLease is a lease that ends while no test runs: a machine that is slow takes nobody for gone.
const longLease = time.Hour

// openAt opens the ledger at an address. It waits for its turn as long as a test may: that a machine is slow is no fault of
// the ledger. A nil clock is that of the host, or of the database.
func openAt(ctx context.Context, address string, clock func() time.Time) (ledger.Store, error) {
	quiet := slog.New(slog.DiscardHandler)
	if inDatabase(address) {
		return postgres.Open(ctx, address, postgres.WithBusyTimeout(patience), postgres.WithClock(clock), postgres.WithLogger(quiet),
			postgres.WithSensitiveKey(ledgerKey), postgres.WithLeaseLength(longLease), postgres.DespiteNoSync())
	}
	return sqlite.Open(ctx, address, sqlite.WithBusyTimeout(patience), sqlite.WithClock(clock), sqlite.WithLogger(quiet))
}

// openLedgerAt opens the ledger at an address until the test ends. A nil clock is that of the host, or of the database.
func openLedgerAt(t testing.TB, address string, clock func() time.Time) ledger.Store {
	t.Helper()
	store, err := openAt(t.Context(), address, clock)
	if err != nil {
		t.Fatalf("open the ledger: %v", err)
	}
	t.Cleanup(func() { _ = store.Close() })
	return store
}

// over has a world keep its changes in a ledger of that kind.
func over(t testing.TB, kind ledgerKind) func(*world) {
	return func(w *world) {
		w.store = openLedgerAt(t, kind.address(t, t.TempDir()), w.clock.read)
		w.options.Store = w.store
	}
}

// shared is what several processes share.
type shared struct {
	directory string // of their target
	ledger    string // its address
	joined    bool   // the target is in the ledger instead, and bodies are joined
}

// shared are a new target and a new ledger.
func (k ledgerKind) shared(t testing.TB) shared {
	directory := t.TempDir()
	return shared{directory: directory, ledger: k.address(t, directory)}
}

// inFiles are a target and a ledger in one directory.
func inFiles(directory string) shared { return shared{directory: directory, ledger: fileIn(directory)} }

// environment tells a process where it is, which is named by a variable of what the process is.
func (s shared) environment(serves string) []string {
	environment := []string{serves + "=" + s.directory, ledgerAt + "=" + s.ledger}
	if s.joined {
		environment = append(environment, joins+"=yes")
	}
	return environment
}

// sharedIn is what the environment says.
func sharedIn(serves string) shared {
	directory := os.Getenv(serves)
	return shared{directory, cmp.Or(os.Getenv(ledgerAt), fileIn(directory)), os.Getenv(joins) != ""}
}

// open opens the ledger by the clock of the host, or of the database.
func (s shared) open(ctx context.Context) (ledger.Store, error) { return openAt(ctx, s.ledger, nil) }

// expireHolders has the time pass after which processes that were killed are known to be gone. No other may have the ledger
// open.
func (s shared) expireHolders(t *testing.T) {
	t.Helper()
	if !inDatabase(s.ledger) {
		return // the system knows at once
	}
	execAll(t, s.ledger, `UPDATE changesetgen.holders SET until = 0`)
}

// expireHolder is expireHolders of one, while others have the ledger open.
func (s shared) expireHolder(t *testing.T, name string) {
	t.Helper()
	if inDatabase(s.ledger) {
		execAll(t, s.ledger, `UPDATE changesetgen.holders SET until = 0 WHERE name = '`+name+`'`)
	}
}

// wantIntact checks the ledger once nobody writes to it: each record has the events of its transitions, and a file is
// whole.
func (s shared) wantIntact(t *testing.T) {
	t.Helper()
	store := openLedgerAt(t, s.ledger, nil)
	for r, err := range ledger.All(t.Context(), store, ledger.Query{}) {
		if err != nil {
			t.Fatal(err)
		}
		events, err := store.Events(t.Context(), r.ID)
		if err != nil || int64(len(events)) != r.Revision {
			t.Errorf("%d events of %s, which is at revision %d; %v", len(events), r.ID, r.Revision, err)
		}
	}
	if inDatabase(s.ledger) {
		return
	}
	db, err := sql.Open("sqlite", "file:"+s.ledger)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var verdict string
	if err := db.QueryRow(`PRAGMA integrity_check`).Scan(&verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity of the ledger: %s, %v", verdict, err)
	}
}
