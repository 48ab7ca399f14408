// Command own-server stands for a server that was there before it was guarded, but for the last lines of serve.
package main

import (
	"context"
	"database/sql"
	"log"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	_ "modernc.org/sqlite"
)

const table = `
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL, locked INTEGER NOT NULL DEFAULT 0, version INTEGER NOT NULL DEFAULT 1);
INSERT INTO settings (key, value) VALUES ('theme', 'light');
`

func main() {
	db, err := sql.Open("sqlite", "own.db")
	if err != nil {
		log.Fatal(err)
	}
	if _, err := db.Exec(table); err != nil {
		log.Fatal(err)
	}
	if err := serve(context.Background(), db); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, db *sql.DB) error {
	server := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "own"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	stop, err := addGuarded(ctx, server, db, "ledger/settings.db")
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx, runtime.StdioTransport()) }()
	select {
	case err = <-ended: // the client left
	case <-ctx.Done(): // Run would wait for every call, however long it takes; stop waits for the grace
	}
	if left := stop(context.WithoutCancel(ctx)); left != nil {
		slog.Warn("the server ends all the same", "left", left)
	}
	return err
}
