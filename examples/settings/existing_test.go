package main

import (
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/examples/generated/settings"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// addGuarded gives a server that is there the tools of the spec. Call stop after the server has ended, and close the
// database only when stop has returned nil: until then a write may still run.
func addGuarded(ctx context.Context, server *mcp.Server, db *sql.DB, ledger string) (stop func(context.Context) error, err error) {
	store, err := sqlite.Open(ctx, ledger)
	if err != nil {
		return nil, err
	}
	guard, err := runtime.NewGuard(ctx, runtime.Options{Store: store})
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	stop = func(ctx context.Context) error {
		if err := guard.Close(ctx); err != nil {
			return err
		}
		return store.Close()
	}
	if err := settings.Register(server, guard, settings.Config{Operations: handlers{db}, Main: db}); err != nil {
		return nil, errors.Join(err, stop(ctx))
	}
	return stop, nil
}

func TestReadmeShowsHowAServerThatIsThereIsGuarded(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("existing_test.go")
	if err != nil {
		t.Fatal(err)
	}
	blocks := rig.Blocks(t, "### In a server that you have", "### A create")
	if len(blocks) != 1 || !strings.Contains(string(source), blocks[0].Content) {
		t.Errorf("the page shows code that this test does not run: %v", blocks)
	}
}

func TestGuardedToolsStandBesideThoseOfAServerThatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := openDatabase(t.Context(), filepath.Join(dir, "settings.db"))
	if err != nil {
		t.Fatal(err)
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "own", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "own"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	stop, err := addGuarded(t.Context(), server, db, filepath.Join(dir, "ledger", "settings.db"))
	if err != nil {
		t.Fatal(err)
	}
	tools := toolsOf(t, server)
	for _, want := range []string{"own", "preview_set_setting", "apply_set_setting", "get_change_status"} {
		if !slices.Contains(tools, want) {
			t.Errorf("there is no %s among %q", want, tools)
		}
	}
	if err := errors.Join(stop(t.Context()), db.Close()); err != nil {
		t.Error(err)
	}
}

// toolsOf are the names that a client of the server is given.
func toolsOf(t *testing.T, server *mcp.Server) (names []string) {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	serving, err := server.Connect(t.Context(), ours, nil)
	if err != nil {
		t.Fatal(err)
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, nil).Connect(t.Context(), theirs, nil)
	if err != nil {
		t.Fatal(err)
	}
	for tool, err := range client.Tools(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tool.Name)
	}
	if err := errors.Join(client.Close(), serving.Wait()); err != nil {
		t.Fatal(err)
	}
	return names
}
