// Command server serves the operations of generated packages over standard input and output, on a ledger of its own.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPending is how many previews there may be: more than a test makes, and nothing is ever applied.
const maxPending = 1 << 20

func main() {
	if err := serve(context.Background(), os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// serve ends when the client does.
func serve(ctx context.Context, ledger string) error {
	quiet := slog.New(slog.DiscardHandler)
	store, err := sqlite.Open(ctx, ledger, sqlite.WithLogger(quiet))
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store: store, Logger: quiet, MaxPending: maxPending, MaxPendingAll: maxPending,
	})
	if err != nil {
		return err
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "field", Version: "1"}, nil)
	for _, register := range packages {
		if err := register(server, guard); err != nil {
			return err
		}
	}
	if err := server.Run(ctx, runtime.StdioTransport()); err != nil {
		return err
	}
	return guard.Close(ctx)
}
