package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/bench/internal/memledger"
	"github.com/changesetgen/changesetgen/runtime"
)

const productID = "product-000417"

// The tools that are called. Those of the bare server have the names that the guard gives to its own.
const (
	previewTool = "preview_" + operation
	applyTool   = "apply_" + operation
)

// application is a server of tools, and how it is left.
type application struct {
	server *mcp.Server
	// stdio is the transport over standard input and output that such a server is served with.
	stdio mcp.Transport
	close func(context.Context) error
}

func newServer() *mcp.Server {
	return mcp.NewServer(&mcp.Implementation{Name: "products", Version: "1"}, nil)
}

// guardedServer has the guarded operation. Its log is written, to nowhere.
func guardedServer(ctx context.Context) (*application, error) {
	guard, err := runtime.NewGuard(ctx, runtime.Options{
		Store: memledger.New().Open(time.Now), WriteMode: runtime.Guarded, Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	if err != nil {
		return nil, err
	}
	a := &application{server: newServer(), stdio: runtime.StdioTransport(), close: guard.Close}
	return a, guard.Register(a.server, runtime.Spec{Server: "products", Schemas: schemas}, guarded(stocked()))
}

// ticket is what apply is called with.
type ticket struct {
	ChangeID string `json:"change_id"`
	Token    string `json:"confirmation_token"`
}

// answer is what the bare tools return: the product that they looked at.
type answer struct {
	Product *state `json:"product"`
}

// tell answers in a sentence of text beside the product, as both halves of an answer are written without a guard.
func tell(product *state, format string, values ...any) (*mcp.CallToolResult, answer, error) {
	text := &mcp.TextContent{Text: fmt.Sprintf(format, values...)}
	return &mcp.CallToolResult{Content: []mcp.Content{text}}, answer{product}, nil
}

// bareServer has the same two tools without a guard: the first looks at a product and keeps what is wanted of it, and the
// second looks again, writes, and looks at what it wrote.
func bareServer(context.Context) (*application, error) {
	products, server := stocked(), newServer()
	var wanted atomic.Pointer[payload]
	mcp.AddTool(server, &mcp.Tool{Name: previewTool, Description: "Look at what a change of a product would change."},
		func(_ context.Context, _ *mcp.CallToolRequest, p payload) (*mcp.CallToolResult, answer, error) {
			found := products.observe(p.ID)
			if found == nil {
				return nil, answer{}, fmt.Errorf("there is no product %s", p.ID)
			}
			wanted.Store(&p)
			return tell(found, "The price of %s would change from %s to %s.", found.Name, found.Price, p.Price)
		})
	mcp.AddTool(server, &mcp.Tool{Name: applyTool, Description: "Change the product that was looked at."},
		func(_ context.Context, _ *mcp.CallToolRequest, _ ticket) (*mcp.CallToolResult, answer, error) {
			p := wanted.Load()
			if p == nil || products.observe(p.ID) == nil {
				return nil, answer{}, fmt.Errorf("there is nothing to change")
			}
			products.update(p)
			changed := products.observe(p.ID)
			return tell(changed, "The price of %s is %s.", changed.Name, changed.Price)
		})
	return &application{server: server, stdio: &mcp.StdioTransport{}, close: func(context.Context) error { return nil }}, nil
}
