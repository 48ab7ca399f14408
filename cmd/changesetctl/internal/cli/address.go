package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"strings"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// address is where a ledger is: in a file, or in a database that a server has.
type address struct {
	file   string
	dsn    string // where file is ""
	schema string // of the database; "" for the default
}

// ledgerAddress is where the ledger is. An address of a database is a URL, or settings with a scheme before them, as in
// "postgres:service=ledger": without it they could be the name of a file.
func (s *session) ledgerAddress() (address, error) {
	text, seen := s.address, true
	if text == "" {
		text, seen = s.getenv(ledgerVariable), false
	}
	if text == "" {
		return address{}, usageError{errors.New("no ledger is named: give --ledger, or set " + ledgerVariable)}
	}
	scheme, rest, has := strings.Cut(text, ":")
	isDatabase, isURL := has && (scheme == "postgres" || scheme == "postgresql"), strings.HasPrefix(rest, "//")
	switch {
	case isDatabase && isURL:
		return s.database(text, seen)
	case isDatabase:
		return s.database(rest, seen)
	case isURL:
		return address{}, usageError{fmt.Errorf("a ledger of the kind %q is not supported: give the file of a SQLite ledger, or a postgres:// address", scheme)}
	case s.schema != "":
		return address{}, usageError{errors.New("--schema is for a ledger in PostgreSQL, and this one is a file")}
	}
	return address{file: text}, nil
}

// namesPassword finds a password in an address, be it a URL, with parameters or without, or settings.
var namesPassword = regexp.MustCompile(`^\w+://[^/@]*:[^@]+@|(^|[\s?&])(ssl)?password\s*=`)

// database is the address of a ledger in PostgreSQL, which must hold no password where other users of this machine see it.
func (s *session) database(dsn string, seen bool) (address, error) {
	if seen && namesPassword.MatchString(dsn) {
		return address{}, usageError{errors.New("--ledger holds a password, which every user of this machine can see there: leave it out, " +
			"and put it into ~/.pgpass, a service file or PGPASSWORD; or put the whole address into " + ledgerVariable)}
	}
	return address{dsn: dsn, schema: s.schema}, nil
}

// openLedger opens a ledger, if there is one. Its warnings go to the screen. Who only looks makes nothing.
func openLedger(ctx context.Context, at address, looks bool, warnings *screen.Screen) (book, error) {
	logger := slog.New(warner{warnings})
	if at.file == "" {
		return openDatabase(ctx, at, looks, logger)
	}
	return openFile(ctx, at.file, looks, logger)
}

func openDatabase(ctx context.Context, at address, looks bool, logger *slog.Logger) (book, error) {
	existing := postgres.MustExist()
	if looks {
		existing = postgres.LookOnly()
	}
	store, err := postgres.Open(ctx, at.dsn, existing, postgres.WithSchema(at.schema), postgres.WithLogger(logger))
	if err != nil {
		return nil, err
	}
	return databaseBook{store}, nil
}

func openFile(ctx context.Context, file string, looks bool, logger *slog.Logger) (book, error) {
	if err := sqlite.Recognise(file); err != nil {
		return nil, err
	}
	existing := sqlite.DespiteDamage()
	if looks {
		existing = sqlite.LookOnly()
	}
	store, err := sqlite.Open(ctx, file, existing, sqlite.WithLogger(logger))
	if err != nil {
		return nil, err
	}
	return fileBook{store}, nil
}
