package cli_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/pgcluster"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// ledgerIn is the address of a ledger in a file.
func ledgerIn(directory string) string { return filepath.Join(directory, "ledger", "changes.db") }

// database is the address of a ledger in an empty database.
func database(t *testing.T) string {
	t.Helper()
	return pgcluster.Shared(t).NewDatabase(t)
}

// onEachLedger runs a test on a ledger of each kind.
func onEachLedger(t *testing.T, test func(t *testing.T, s *shop)) {
	t.Helper()
	for kind, address := range map[string]func(t *testing.T) string{
		"file":     func(t *testing.T) string { return ledgerIn(t.TempDir()) },
		"database": database,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			test(t, openedAt(t, address(t), 0))
		})
	}
}

// openStore opens the ledger at an address, and makes it. The clock of a file may be behind; that of a database is its own.
// Its holds count as there for longer than a busy machine stalls.
func openStore(ctx context.Context, address string, behind time.Duration) (ledger.Store, error) {
	if !strings.HasPrefix(address, "postgres://") {
		clock := func() time.Time { return time.Now().Add(-behind) }
		return sqlite.Open(ctx, address, sqlite.WithClock(clock), sqlite.WithBusyTimeout(patience), sqlite.WithLogger(quiet))
	}
	if behind != 0 {
		return nil, errors.New("the clock of a database cannot be behind")
	}
	return postgres.Open(ctx, address, postgres.WithBusyTimeout(patience), postgres.WithLeaseLength(time.Hour), postgres.WithLogger(quiet))
}
