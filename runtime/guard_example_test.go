package runtime_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// exampleLedger opens a ledger that remove takes away again.
func exampleLedger(ctx context.Context) (store *sqlite.Store, remove func()) {
	directory, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	store, err = sqlite.Open(ctx, filepath.Join(directory, "ledger", "changes.db"))
	if err != nil {
		log.Fatal(err)
	}
	return store, func() {
		_ = store.Close()
		_ = os.RemoveAll(directory)
	}
}

// Writes are off until the operator switches them on, here by an option. What cannot be is refused with the field.
func ExampleNewGuard() {
	ctx := context.Background()
	store, remove := exampleLedger(ctx)
	defer remove()
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store:       store,
		WriteMode:   runtime.Guarded,
		TTL:         5 * time.Minute, // a preview is good for so long
		ApprovalTTL: 8 * time.Hour,   // or waits so long for a person
		MaxPending:  20,
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(guard.Close(ctx))

	_, err = runtime.NewGuard(ctx, runtime.Options{Store: store, TTL: 24 * time.Hour})
	fmt.Println(err)
	// Output:
	// <nil>
	// runtime: the field Options.TTL is 24h0m0s: give 1m0s to 1h0m0s, or 0 for the default
}

// Register is what generated code calls. An operation can also be written by hand; its tools are those that an agent
// previews and applies with.
func ExampleGuard_Register() {
	ctx := context.Background()
	store, remove := exampleLedger(ctx)
	defer remove()
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
	if err != nil {
		log.Fatal(err)
	}

	agent := exampleAgent(ctx, server)
	defer agent.Close()
	preview := exampleCall(ctx, agent, "preview_greet", map[string]any{"name": "Ada"})
	exampleCall(ctx, agent, "apply_greet", map[string]any{
		"change_id": preview["change_id"], "confirmation_token": preview["confirmation_token"],
	})
	// Output:
	// preview: Greet Ada
	// Hello, Ada
	// applied
}

// exampleAgent is an agent's session with the server.
func exampleAgent(ctx context.Context, server *mcp.Server) *mcp.ClientSession {
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(ctx, there, nil); err != nil {
		log.Fatal(err)
	}
	agent, err := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil).Connect(ctx, here, nil)
	if err != nil {
		log.Fatal(err)
	}
	return agent
}

// exampleCall calls a tool and prints what came of it.
func exampleCall(ctx context.Context, agent *mcp.ClientSession, tool string, arguments map[string]any) map[string]any {
	result, err := agent.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		log.Fatal(err)
	}
	answer := result.StructuredContent.(map[string]any)
	fmt.Println(strings.TrimSuffix(fmt.Sprintf("%v: %v", answer["status"], answer["summary"]), ": <nil>"))
	return answer
}

// Whoever decides has a name, and a channel that agents do not have.
func ExampleNewOperator() {
	ctx := context.Background()
	store, remove := exampleLedger(ctx)
	defer remove()
	operator, err := runtime.NewOperator(store, runtime.Decider{Name: "ana", Channel: "pager"})
	if err != nil {
		log.Fatal(err)
	}
	all, err := operator.List(ctx, ledger.Query{Statuses: []ledger.Status{ledger.Pending}})
	fmt.Println(len(all), err)

	_, err = runtime.NewOperator(store, runtime.Decider{Name: "ana", Channel: "agent"})
	fmt.Println(err)
	// Output:
	// 0 <nil>
	// runtime: the field Decider.Channel is "agent": name the channel by which a person decides
}
