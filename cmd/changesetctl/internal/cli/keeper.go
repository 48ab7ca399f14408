package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// keeper is a ledger with what only its keepers do to it, wherever it is stored.
type keeper interface {
	ledger.Store
	// faults tells what is wrong with the ledger itself.
	faults(ctx context.Context) ([]string, error)
	// holders are all who may claim, or have claims that are not settled.
	holders(ctx context.Context) ([]holder, error)
	// measure counts what is in the ledger.
	measure(ctx context.Context) (measures, error)
	// backUp writes a copy to a new file.
	backUp(ctx context.Context, path string) error
}

// holder is one who may claim.
type holder struct {
	Name     string `json:"name"`
	Liveness string `json:"liveness"` // alive, gone or unknown
	Claims   int    `json:"claims"`   // not settled

	gone bool // proved
}

// measures are how much a ledger holds and takes.
type measures struct {
	Groups    []group `json:"groups"`
	Writes    int64   `json:"writes"`     // since it was made
	FileBytes int64   `json:"file_bytes"` // with what was pruned and will be used again
	FreeBytes int64   `json:"free_bytes"` // that
	LogBytes  int64   `json:"log_bytes"`
}

// group is how many changes have the same server, operation and status.
type group struct {
	Server    string        `json:"server"`
	Operation string        `json:"operation"`
	Status    ledger.Status `json:"status"`
	Changes   int           `json:"changes"`
	Oldest    time.Time     `json:"oldest"` // when the first of them was made
	Newest    time.Time     `json:"newest"`
}

// openLedger opens the ledger at an address, if there is one. Its warnings go to the screen. Who only looks makes nothing.
func openLedger(ctx context.Context, address string, looks bool, warnings *screen.Screen) (keeper, error) {
	if err := checkKind(address); err != nil {
		return nil, err
	}
	existing := sqlite.MustExist()
	if looks {
		existing = sqlite.LookOnly()
	}
	store, err := sqlite.Open(ctx, address, existing, sqlite.WithLogger(slog.New(warner{warnings})))
	if err != nil {
		return nil, err
	}
	return sqliteLedger{store}, nil
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

// sqliteLedger is a keeper of a SQLite ledger.
type sqliteLedger struct{ *sqlite.Store }

func (l sqliteLedger) faults(ctx context.Context) ([]string, error) { return l.Check(ctx) }

func (l sqliteLedger) holders(ctx context.Context) (all []holder, err error) {
	states, err := l.Holders(ctx)
	for _, h := range states {
		all = append(all, holder{
			Name: h.Name, Liveness: h.Liveness.String(), Claims: h.Claims, gone: h.Liveness == ledger.Gone,
		})
	}
	return all, err
}

func (l sqliteLedger) measure(ctx context.Context) (measures, error) {
	stats, err := l.Stats(ctx)
	m := measures{
		Groups: []group{}, Writes: stats.Writes,
		FileBytes: stats.FileBytes, FreeBytes: stats.FreeBytes, LogBytes: stats.LogBytes,
	}
	for _, g := range stats.Groups {
		m.Groups = append(m.Groups, group(g))
	}
	return m, err
}

func (l sqliteLedger) backUp(ctx context.Context, path string) error { return l.Backup(ctx, path) }
