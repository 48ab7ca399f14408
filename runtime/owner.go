package runtime

import (
	"errors"
	stdruntime "runtime"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// owners says which guard a server of the SDK belongs to: the one that registered there first, for as long as the server
// exists. It keeps neither of them alive.
var owners = registry{guards: map[weak.Pointer[mcp.Server]]weak.Pointer[Guard]{}}

type registry struct {
	mu     sync.Mutex
	guards map[weak.Pointer[mcp.Server]]weak.Pointer[Guard]
}

// own gives the server to the guard, unless another has it: the tools that all changes share would be those of the guard
// that came last, and the changes of the first would be unknown.
func (r *registry) own(server *mcp.Server, g *Guard) error {
	key, guard := weak.Make(server), weak.Make(g)
	r.mu.Lock()
	defer r.mu.Unlock()
	owner, taken := r.guards[key]
	switch {
	case !taken:
		r.guards[key] = guard
		stdruntime.AddCleanup(server, r.forget, key)
	case owner != guard:
		return errors.New("the server belongs to another guard: register everything of one server with one guard")
	}
	return nil
}

func (r *registry) forget(server weak.Pointer[mcp.Server]) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.guards, server)
}
