package main

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// TestMain is also the servers that the measurement starts.
func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != serveArgument {
		os.Exit(m.Run())
	}
	if err := start(context.Background(), os.Args[1:]); err != nil {
		os.Exit(1)
	}
}

func TestEveryTransportIsMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"-rounds", "2", "-for", "1ns"}, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{
		"| preview, in memory ", "| apply, in memory ", "| preview, stdio ", "| apply, stdio ", "| preview, streamable HTTP ",
		"| apply, streamable HTTP ", "| preview through a guard over a bare tool, stdio | ≤ 1.50 |",
	} {
		if !strings.Contains(out.String(), what) {
			t.Errorf("%q is missing from\n%s", what, &out)
		}
	}
}

func TestWhatCannotBeMeasuredIsRefused(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"-rounds", "0"}, {"-for", "0s"}, {"something"}} {
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// Whatever a bare tool answered beyond what it did would make the guard look cheaper.
func TestBareToolsAnswerOnlyWhatTheyDid(t *testing.T) {
	t.Parallel()
	c, err := overMemory(t.Context(), bareKind)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		tool      string
		arguments any
		want      mcp.CallToolResult
	}{
		{previewTool, payload{ID: productID, Price: "24.90", Active: true, Tags: []string{"water"}}, mcp.CallToolResult{
			Content: said("The price of Watering can, 10 l would change from 19.90 to 24.90."),
			StructuredContent: told(map[string]any{
				"id": productID, "name": "Watering can, 10 l", "price": "19.90", "active": false, "tags": []any{"garden"}, "version": 1.0,
			}),
		}},
		{applyTool, ticket{}, mcp.CallToolResult{
			Content: said("The price of Watering can, 10 l is 24.90."),
			StructuredContent: told(map[string]any{
				"id": productID, "name": "Watering can, 10 l", "price": "24.90", "active": true, "tags": []any{"water"}, "version": 2.0,
			}),
		}},
	} {
		got, err := call(t.Context(), c.session, test.tool, test.arguments)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&test.want, got, cmpopts.IgnoreUnexported(mcp.CallToolResult{}), cmpopts.IgnoreFields(mcp.CallToolResult{}, "Meta")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.tool, diff)
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func said(sentence string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: sentence}} }

func told(product map[string]any) any { return map[string]any{"product": product} }
