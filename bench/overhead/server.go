package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
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

// answer is what the bare tools return: what they did, and as much more as the guard says of it.
type answer struct {
	Product *state `json:"product"`
	More    string `json:"more"`
}

// size is how long the two halves of an answer are.
type size struct{ Structured, Text int }

// sizes are those of the answers of both tools.
type sizes struct{ Preview, Apply size }

// fill makes an answer as long as the guard's.
func (s size) fill(product *state) (*mcp.CallToolResult, answer, error) {
	a := answer{Product: product}
	bare, err := json.Marshal(a)
	if err != nil {
		return nil, a, err
	}
	if len(bare) < s.Structured {
		a.More = strings.Repeat("x", s.Structured-len(bare))
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strings.Repeat("x", s.Text)}}}, a, nil
}

// bareServer has the same two tools without a guard: the first looks at a product and keeps what is wanted of it, and the
// second looks again, writes, and looks at what it wrote.
func bareServer(answers sizes) *application {
	products, server := stocked(), newServer()
	var wanted atomic.Pointer[payload]
	mcp.AddTool(server, &mcp.Tool{Name: previewTool, Description: "Look at what a change of a product would change."},
		func(_ context.Context, _ *mcp.CallToolRequest, p payload) (*mcp.CallToolResult, answer, error) {
			found := products.observe(p.ID)
			if found == nil {
				return nil, answer{}, fmt.Errorf("there is no product %s", p.ID)
			}
			wanted.Store(&p)
			return answers.Preview.fill(found)
		})
	mcp.AddTool(server, &mcp.Tool{Name: applyTool, Description: "Change the product that was looked at."},
		func(_ context.Context, _ *mcp.CallToolRequest, _ ticket) (*mcp.CallToolResult, answer, error) {
			p := wanted.Load()
			if p == nil || products.observe(p.ID) == nil {
				return nil, answer{}, fmt.Errorf("there is nothing to change")
			}
			products.update(p)
			return answers.Apply.fill(products.observe(p.ID))
		})
	return &application{server: server, stdio: &mcp.StdioTransport{}, close: func(context.Context) error { return nil }}
}
