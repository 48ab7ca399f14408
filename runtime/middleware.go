package runtime

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
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
		if _, unwritable := visible.Marshal(result); unwritable != nil {
			g.log(ctx, slog.LevelError, "the result of a tool cannot be written", "error", unwritable)
			return fault(method)
		}
		return result, nil
	}
}

// fault answers for a handler that failed inside.
func fault(method string) (mcp.Result, error) {
	if method == methodCallTool {
		return toResult(refuseInternal())
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: refuseInternal().message}
}
