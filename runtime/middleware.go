package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const methodCallTool = "tools/call"

// protect keeps the process and the session alive whatever a handler of the server does, ours or another: the SDK lets
// a panic end the process, and never answers a call whose result cannot be written.
func (g *Guard) protect(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (result mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				g.log(ctx, slog.LevelError, "panic in a handler", "method", method, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
				result, err = fault(method)
			}
		}()
		result, err = next(ctx, method, req)
		if err != nil || method != methodCallTool {
			return result, err
		}
		if unwritable := checkWritable(result); unwritable != nil {
			g.log(ctx, slog.LevelError, "the result of a tool cannot be written", "error", unwritable)
			return fault(method)
		}
		return result, nil
	}
}

// checkWritable fails if the result of a tool cannot be written. One as ours are is not encoded to find that out, which the
// SDK does again: texts can always be written, and JSON that is given as such if it is valid.
func checkWritable(result mcp.Result) error {
	if r, ok := result.(*mcp.CallToolResult); ok && r.Meta == nil && r.InputRequests == nil && onlyTexts(r.Content) {
		if structured, ok := r.StructuredContent.(json.RawMessage); ok && json.Valid(structured) {
			return nil
		}
	}
	_, err := json.Marshal(result)
	return err
}

// onlyTexts tells whether content is texts and nothing about them.
func onlyTexts(content []mcp.Content) bool {
	for _, c := range content {
		if t, ok := c.(*mcp.TextContent); !ok || t == nil || t.Meta != nil || t.Annotations != nil {
			return false
		}
	}
	return true
}

// fault answers for a handler that failed inside.
func fault(method string) (mcp.Result, error) {
	if method == methodCallTool {
		return toResult(refuseInternal())
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: refuseInternal().message}
}
