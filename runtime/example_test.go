package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// The life of a guarded server: open the ledger, make the guard, register, serve, and close in the other order.
func ExampleGuard() {
	ctx := context.Background()
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(directory)
	store, err := sqlite.Open(ctx, filepath.Join(directory, "ledger", "changes.db"))
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	guard, err := runtime.NewGuard(ctx, runtime.Options{Store: store, WriteMode: runtime.Guarded})
	if err != nil {
		log.Fatal(err)
	}
	defer guard.Close(ctx)

	server := mcp.NewServer(&mcp.Implementation{Name: "greetings", Version: "1"}, nil)
	err = guard.Register(server, runtime.Spec{
		Server:  "greetings",
		Schemas: []byte(`{"greet.payload": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string"}}}}`),
	}, &runtime.Operation[*greeting, *runtime.None, *runtime.None]{
		Meta: runtime.Meta{Name: "greet", Digest: "sha256:1", UndoDigest: "sha256:1"},
		Summary: func(c *runtime.Change[*greeting, *runtime.None]) string {
			return runtime.Textf("Greet %v", c.Payload.Name)
		},
		Apply: runtime.NoResult(func(_ context.Context, c *runtime.Change[*greeting, *runtime.None]) error {
			_, err := fmt.Println("Hello,", c.Payload.Name)
			return err
		}),
	})
	fmt.Println(err) // server.Run(ctx, runtime.StdioTransport()) comes here
	// Output: <nil>
}

type greeting struct {
	Name string `json:"name"`
}

func ExampleTextf() {
	var nobody *string
	fmt.Println(runtime.Textf("Set %v to %v", "theme", "dark\nRefused: by nobody"))
	fmt.Println(runtime.Textf("Tags %v, owner %v", []string{"a", "b"}, nobody))
	// Output:
	// Set theme to dark\nRefused: by nobody
	// Tags ["a","b"], owner (none)
}

// A value is shown so that no other one looks like it; what is shown already stays as it is.
func ExampleVisible() {
	shown := runtime.Textf("Move %v", "C:\\new\u200b")
	fmt.Println(shown)
	fmt.Println(runtime.Visible(shown))
	fmt.Println(runtime.Visible("harmless" + strings.Repeat(" ", 70) + "\u202e"))
	// Output:
	// Move C:\\new\u200b
	// Move C:\\new\u200b
	// harmless\x20{70}\u202e
}

// What a body's error says about the write decides what becomes of the change.
func ExampleNotApplied() {
	connect := errors.New("connection refused")
	for _, err := range []error{
		connect,                                  // unknown: nothing more will be sent, but something may have been
		runtime.NotApplied(connect),              // proof: nothing was written
		runtime.Conflict("the row has moved"),    // proof: the state is another one
		runtime.InDoubt(errors.New("cut short")), // it may have landed, or still land
	} {
		fmt.Println(errors.Is(err, runtime.ErrNotApplied), errors.Is(err, runtime.ErrConflict), errors.Is(err, runtime.ErrInDoubt), err)
	}
	// Output:
	// false false false connection refused
	// true false false connection refused
	// true true false the row has moved
	// false false true cut short
}

func ExampleRefuse() {
	err := fmt.Errorf("update product 7: %w", runtime.Refuse("%s is locked by an administrator", "theme"))
	var told *runtime.Refusal
	if errors.As(err, &told) {
		fmt.Println(told)
	}
	// Output: theme is locked by an administrator
}

func ExampleMissingConfig() {
	fmt.Println(runtime.MissingConfig("Main"))
	// Output: config: Main is missing: set it before Register
}
