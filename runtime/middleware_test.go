package runtime_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"math"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Handlers of others on the same server can neither end the process nor leave a client without an answer.
func TestForeignHandlersCannotBreakTheServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, handler := range map[string]mcp.ToolHandler{
		"panic": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { panic("hunter2") },
		"nan": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: math.NaN()}, nil
		},
		"function": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: map[string]any{"f": func() {}}}, nil
		},
		"panicking": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: panicking{}}, nil
		},
		"not JSON": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{`)}, nil
		},
	} {
		w.server.AddTool(&mcp.Tool{Name: "foreign", Description: "fails", InputSchema: json.RawMessage(`{"type":"object"}`)}, handler)
		t.Log(name)
		wantRefused(t, w.call(t, "foreign", nil), "internal")
	}
	w.applied(t, "theme", "dark")
}

type panicking struct{}

func (panicking) MarshalJSON() ([]byte, error) { panic("hunter2") }

func TestPanicOfAPromptIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(*world) {})
	w.server.AddPrompt(&mcp.Prompt{Name: "p"}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { panic("hunter2") })
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := w.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: "p"}); err == nil {
		t.Error("a panic was answered as a prompt")
	}
	w.applied(t, "theme", "dark")
}

func TestForeignResultsPassUnchanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server.AddTool(&mcp.Tool{Name: "foreign", Description: "works", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{StructuredContent: json.RawMessage(`{"status":"9007199254740993"}`)}, nil
		})
	if r, err := w.try(t.Context(), "foreign", nil); err != nil || r.Status != "9007199254740993" {
		t.Errorf("%s, %v", r.raw, err)
	}
}

// A scope or a logger that panics is a fault of the program, and no more than that.
func TestPanickingOptionsDoNoHarm(t *testing.T) {
	t.Parallel()
	broken := true
	w := newWorld(t, func(w *world) {
		w.options.Scope = func(context.Context) string {
			if broken {
				panic("hunter2")
			}
			return ""
		}
	})
	wantRefused(t, w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}), "internal")
	broken = false
	w.applied(t, "theme", "dark")
	quiet := newWorld(t, func(w *world) { w.options.Logger = slog.New(panickingLog{}) })
	quiet.applied(t, "theme", "dark")
}

type panickingLog struct{}

func (panickingLog) Enabled(context.Context, slog.Level) bool  { panic("hunter2") }
func (panickingLog) Handle(context.Context, slog.Record) error { panic("hunter2") }
func (p panickingLog) WithAttrs([]slog.Attr) slog.Handler      { return p }
func (p panickingLog) WithGroup(string) slog.Handler           { return p }
