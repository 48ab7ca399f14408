package cli

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// openLedger opens the ledger at an address, if there is one. Its warnings go to the screen. Who only looks makes nothing.
func openLedger(ctx context.Context, address string, looks bool, warnings *screen.Screen) (book, error) {
	if err := checkKind(address); err != nil {
		return nil, err
	}
	existing := sqlite.DespiteDamage()
	if looks {
		existing = sqlite.LookOnly()
	}
	store, err := sqlite.Open(ctx, address, existing, sqlite.WithLogger(slog.New(warner{warnings})))
	if err != nil {
		return nil, err
	}
	return fileBook{store}, nil
}

// migrateLedger makes the ledger at an address one that can be opened, after a copy to a new file at backup.
func migrateLedger(ctx context.Context, address, backup string, warnings *screen.Screen) error {
	if err := checkKind(address); err != nil {
		return err
	}
	return sqlite.Migrate(ctx, address, backup, sqlite.WithLogger(slog.New(warner{warnings})))
}

// checkKind refuses the address of what is no ledger.
func checkKind(address string) error {
	if scheme, _, is := strings.Cut(address, "://"); is {
		return usageError{fmt.Errorf("a ledger of the kind %q is not supported: give the file of a SQLite ledger", scheme)}
	}
	return sqlite.Recognise(address)
}
