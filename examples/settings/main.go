// Command settings serves the settings of an application to agents, over MCP on standard input and output. Its tools
// are generated from settings.changeset.yaml and profiles.changeset.yaml; what is written by hand is how things are stored.
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/changesetgen/changesetgen/examples/generated/profiles"
	"github.com/changesetgen/changesetgen/examples/generated/settings"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

//go:generate go tool changesetgen ../settings.changeset.yaml -o ../generated/settings
//go:generate go tool changesetgen ../profiles.changeset.yaml -o ../generated/profiles

// What the process exits with.
const (
	exitDone   = 0 // the client left, or a signal asked for the end
	exitFailed = 1
	exitUsage  = 2
)

// What is logged at the end.
const (
	endNotice  = "no more calls are taken; finishing the writes that run"
	leftNotice = "the server ends all the same"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stderr))
}

// run serves until the client leaves or a signal asks for the end, and says on stderr what went wrong.
func run(args []string, stderr io.Writer) int {
	config, err := parseFlags(args, stderr)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitDone
	case err != nil:
		return exitUsage
	}

	// The guard takes the write mode from the environment; what the command line says goes before it.
	if err := os.Setenv(runtime.DefaultWriteModeEnv, string(config.writeMode)); err != nil {
		fmt.Fprintf(stderr, "settings: set the write mode: %v\n", err)
		return exitFailed
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	if err := serve(ctx, config, slog.New(slog.NewTextHandler(stderr, nil))); err != nil {
		fmt.Fprintf(stderr, "settings: %v\n", err)
		return exitFailed
	}
	return exitDone
}

// serve opens what the server needs and serves until ctx ends or the client closes standard input. Then no new write
// begins, and those that run are waited for, as long as the grace says.
func serve(ctx context.Context, config config, logger *slog.Logger) error {
	db, err := openDatabase(ctx, config.database)
	if err != nil {
		return err
	}
	store, err := sqlite.Open(ctx, config.ledger, sqlite.WithLogger(logger))
	if err != nil {
		return errors.Join(fmt.Errorf("open the ledger: %w", err), db.Close())
	}
	guard, err := runtime.NewGuard(ctx, runtime.Options{Store: store, Logger: logger, ShutdownGrace: config.grace})
	if err != nil {
		return errors.Join(err, store.Close(), db.Close())
	}
	err = serveTools(ctx, guard, db)
	logger.Info(endNotice)
	if drainErr := guard.Close(context.WithoutCancel(ctx)); drainErr != nil {
		// A write still runs. What it uses stays open, and its claim stays held, until the process ends.
		logger.Warn(leftNotice, "left", drainErr)
		return err
	}
	return errors.Join(err, store.Close(), db.Close())
}

// serveTools serves the generated tools over standard input and output, until ctx ends or the client leaves.
func serveTools(ctx context.Context, guard *runtime.Guard, db *sql.DB) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "settings", Title: "Settings", Version: "1"}, nil)
	if err := settings.Register(server, guard, settings.Config{Operations: handlers{db}, Main: db}); err != nil {
		return err
	}
	if err := profiles.Register(server, guard, profiles.Config{Operations: profileHandlers{db}, Main: db}); err != nil {
		return err
	}
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
