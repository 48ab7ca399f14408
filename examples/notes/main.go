// Command notes serves the notes in a folder to agents, over MCP on standard input and output. Its tools are generated
// from notes.changeset.yaml; what is written by hand is how notes are looked at and written, without ever leaving the
// folder.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/changesetgen/changesetgen/examples/generated/notes"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:generate go tool changesetgen notes.changeset.yaml -o ../generated/notes

// What the process exits with.
const (
	exitDone   = 0 // the client left, or a signal asked for the end
	exitFailed = 1
	exitUsage  = 2
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

// run serves until the client leaves or a signal asks for the end, and says on stderr what went wrong.
func run(args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("notes", flag.ContinueOnError)
	flags.SetOutput(stderr)
	directory := flags.String("notes", "", "`folder` of the notes; made when missing")
	ledger := flags.String("ledger", "", "`file` of the ledger; made when missing, in a directory of its own; or postgres://HOST/DATABASE, the address of a database")
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitUsage
	case flags.NArg() > 0 || *directory == "" || *ledger == "":
		fmt.Fprintln(stderr, "notes: give the folder of the notes and where the ledger is, and nothing else: --notes my-notes --ledger ledger/notes.db")
		return exitUsage
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	if err := serve(ctx, *directory, *ledger, slog.New(slog.NewTextHandler(stderr, nil))); err != nil {
		fmt.Fprintf(stderr, "notes: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// serve opens what the server needs and serves until ctx ends or the client closes standard input. Then no new write
// begins, and those that run are waited for.
func serve(ctx context.Context, directory, address string, logger *slog.Logger) error {
	notes, err := openFolder(ctx, directory)
	if err != nil {
		return err
	}
	store, err := openLedger(ctx, address, logger)
	if err != nil {
		return errors.Join(fmt.Errorf("open the ledger: %w", err), notes.close())
	}
	guard, err := runtime.NewGuard(ctx, runtime.Options{Store: store, Logger: logger})
	if err != nil {
		return errors.Join(err, store.Close(), notes.close())
	}
	err = serveTools(ctx, guard, notes)
	if drainErr := guard.Close(context.WithoutCancel(ctx)); drainErr != nil {
		// A write still runs. What it uses stays open, and its claim stays held, until the process ends.
		logger.Warn("the server ends all the same", "left", drainErr)
		return err
	}
	return errors.Join(err, store.Close(), notes.close())
}

// openLedger opens the ledger in a file, or in a database of PostgreSQL at an address such as changesetctl takes: one that
// begins with postgres:// or postgresql://, or the settings of libpq behind postgres:. A password is best in PGPASSWORD or
// ~/.pgpass: everybody can read the arguments of a process.
func openLedger(ctx context.Context, address string, logger *slog.Logger) (ledger.Store, error) {
	scheme, _, isURL := strings.Cut(address, "://")
	settings, isSettings := strings.CutPrefix(address, "postgres:")
	switch {
	case isURL && (scheme == "postgres" || scheme == "postgresql"):
		return postgres.Open(ctx, address, postgres.WithLogger(logger))
	case isURL: // and not the name of a file, in which nobody would look for a ledger
		return nil, fmt.Errorf("a ledger of the kind %q is not supported: give a file, or a postgres:// address", scheme)
	case isSettings:
		return postgres.Open(ctx, settings, postgres.WithLogger(logger))
	}
	return sqlite.Open(ctx, address, sqlite.WithLogger(logger))
}

// serveTools serves the generated tools over standard input and output, until ctx ends or the client leaves.
func serveTools(ctx context.Context, guard *runtime.Guard, folder *folder) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Title: "Notes", Version: "1"}, nil)
	if err := notes.Register(server, guard, notes.Config{Operations: handlers{folder}}); err != nil {
		return err
	}
	addReading(server, folder)
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, runtime.StdioTransport()) }()
	select {
	case err := <-ended: // the client left
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("serve over standard input and output: %w", err)
		}
	case <-ctx.Done(): // Run would wait for every call, however long it takes; the guard waits for its grace
	}
	return nil
}
