package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// openLedger opens the ledger at an address, if there is one. Its warnings go to the screen. Who only looks makes nothing.
func openLedger(ctx context.Context, address string, looks bool, warnings *screen.Screen) (*sqlite.Store, error) {
	if err := checkKind(address); err != nil {
		return nil, err
	}
	existing := sqlite.MustExist()
	if looks {
		existing = sqlite.LookOnly()
	}
	return sqlite.Open(ctx, address, existing, sqlite.WithLogger(slog.New(warner{warnings})))
}

// migrateLedger makes the ledger at an address one that can be opened, after a copy to a new file at backup.
func migrateLedger(ctx context.Context, address, backup string, warnings *screen.Screen) error {
	if err := checkKind(address); err != nil {
		return err
	}
	return sqlite.Migrate(ctx, address, backup, sqlite.WithLogger(slog.New(warner{warnings})))
}

// checkKind refuses the address of a ledger that is no file.
func checkKind(address string) error {
	if scheme, _, is := strings.Cut(address, "://"); is {
		return usageError{fmt.Errorf("a ledger of the kind %q is not supported: give the file of a SQLite ledger", scheme)}
	}
	return checkBeginning(address)
}

// sqliteBeginning is how every SQLite database begins.
const sqliteBeginning = "SQLite format 3\x00"

// checkBeginning refuses what is certainly no ledger before anything else is said of the file. What cannot be read, or is
// shorter, is for the store to judge. Nothing of this process has the file open, whose locks this would drop.
func checkBeginning(path string) error {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // a pipe would have to be waited for
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	begins := make([]byte, len(sqliteBeginning))
	if _, err := io.ReadFull(f, begins); err != nil || string(begins) == sqliteBeginning {
		return nil
	}
	return fmt.Errorf("%s is no ledger: it does not begin as a SQLite database does; give the file that the servers use", path)
}
