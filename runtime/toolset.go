package runtime

import (
	"cmp"
	"encoding/json"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// toolset is what one guard registered on one server.
type toolset struct {
	mu         sync.RWMutex
	tools      map[string]bool // by name
	servers    map[string]bool // names of the specs
	operations map[operationKey]*registered

	strangers sync.Once // the operator was warned of callers whom nobody authenticated
	nameless  sync.Once // the operator was told of callers who were authenticated as nobody
}

// operationKey names an operation as records do.
type operationKey struct{ server, operation string }

// registered is an operation with the tools that serve it.
type registered struct {
	*erased
	server                           string
	previewTool, applyTool, undoTool string          // undoTool is "" where it has none
	argumentsSchema, resultSchema    json.RawMessage // as clients get them; resultSchema is nil where there is none
}

// names are all that the changes of the operation may be recorded under: its own, and what it was called before.
func (r *registered) names() []string { return append([]string{r.Name}, r.Aliases...) }

// label names the operation to people.
func (r *registered) label() string { return visible.Text(cmp.Or(r.Title, r.Name)) }

// tool is one tool of a set.
type tool struct {
	set       *toolset
	name      string
	operation *registered // nil: shared by all operations
}

func newToolset() *toolset {
	return &toolset{tools: map[string]bool{}, servers: map[string]bool{}, operations: map[operationKey]*registered{}}
}

// serves tells whether the set shows the changes of a server.
func (s *toolset) serves(server string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.servers[server]
}

func (s *toolset) find(r *ledger.Record) *registered {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.operations[operationKey{r.Server, r.Operation}]
}

// serves gives the operation of a change, nil if there is none any more, and tells whether this tool may move it. A
// client allows tools one by one, so a tool moves only the changes of its own operation, and a shared one only those of
// operations without their own tools.
func (t *tool) serves(r *ledger.Record) (*registered, bool) {
	if !t.set.serves(r.Server) {
		return nil, false
	}
	op := t.set.find(r)
	switch {
	case op == nil:
		return nil, t.operation == nil
	case t.operation != nil:
		return op, t.operation == op
	}
	return op, op.applyTool == t.name || op.undoTool == t.name
}
