package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"regexp"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime/internal/schemafile"
)

// toolName is what MCP allows. The SDK only logs a name that is not.
var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

// Register adds the tools of ops to server: all of them, or none and an error. Register everything before serving.
// The first Register of a Spec.Server also tells the log which of its changes are in doubt, and looks in the background
// at those that a process left which is gone, as Reconcile does. It runs nothing. From then on, until Close, the undos that
// operators request are carried out, with a context of nobody's call for their hooks, and joined claims that nobody carries out
// any more are settled.
//
// A server belongs to the first guard that registers there, also when that guard is closed. The guard keeps it as long as
// it lives: over HTTP, register one server and give it to all sessions.
//
// A tool of the same name that others add to server, before or after, is not seen: the SDK keeps the last one.
//
// A guard that is closed registers nothing.
func (g *Guard) Register(server *mcp.Server, spec Spec, ops ...AnyOperation) error {
	g.registering.Lock()
	defer g.registering.Unlock()
	if err := g.register(server, spec, ops); err != nil {
		return fmt.Errorf("runtime: register %s: %w", spec.Server, err)
	}
	return nil
}

// register asks whatever may fail before it adds anything.
func (g *Guard) register(server *mcp.Server, spec Spec, ops []AnyOperation) error {
	if err := checkSpec(server, spec, ops); err != nil {
		return err
	}
	set, old := g.toolsetOf(server)
	added, err := eraseAll(spec, ops)
	if err != nil {
		return err
	}
	tools, err := g.plan(set, spec, added)
	if err != nil {
		return err
	}
	if err := g.announceDoubt(spec.Server); err != nil {
		return err
	}
	if err := g.take(server, spec.Server, set); err != nil {
		return err
	}
	if !old {
		server.AddReceivingMiddleware(g.protect)
		g.addResource(server, set)
	}
	set.add(spec.Server, added, tools)
	for _, t := range tools {
		server.AddTool(t.definition, t.handler)
	}
	g.lookAtOrphans(set)
	g.runErrands()
	g.log(context.Background(), slog.LevelInfo, "operations registered", "server", spec.Server, "title", spec.Title,
		"operations", len(added), "tools", len(tools), "writes", g.policy.writes)
	return nil
}

// toolsetOf is what the guard has on a server of the SDK, or will have.
func (g *Guard) toolsetOf(server *mcp.Server) (_ *toolset, old bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if set, ok := g.toolsets[server]; ok {
		return set, true
	}
	return newToolset(), false
}

// take makes a server of the SDK this guard's, with the set, unless the guard is closed or the server another's.
func (g *Guard) take(server *mcp.Server, name string, set *toolset) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return errClosing
	}
	if err := owners.own(server, g); err != nil {
		return err
	}
	g.toolsets[server], g.servers[name] = set, true
	return nil
}

func checkSpec(server *mcp.Server, spec Spec, ops []AnyOperation) error {
	switch {
	case server == nil:
		return errors.New("the server is nil")
	case spec.Server == "":
		return errors.New("Spec.Server is missing: changes are recorded under it")
	case spec.Tools != PerOperation && spec.Tools != SharedTools:
		return fmt.Errorf("Spec.Tools is %d: give PerOperation or SharedTools", spec.Tools)
	case len(ops) == 0:
		return errors.New("there are no operations")
	}
	return nil
}

// eraseAll checks the operations and names their tools.
func eraseAll(spec Spec, ops []AnyOperation) ([]*registered, error) {
	schemas, err := schemafile.Read(spec.Schemas)
	if err != nil {
		return nil, err
	}
	all := make([]*registered, len(ops))
	for i, op := range ops {
		if op == nil {
			return nil, fmt.Errorf("operation %d is nil", i+1)
		}
		e, err := op.erase(schemas)
		if err != nil {
			return nil, err
		}
		if all[i], err = name(e, spec, schemas); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// plan makes the tools that are new to the set, and makes sure that every one of them can be added.
func (g *Guard) plan(set *toolset, spec Spec, added []*registered) ([]planned, error) {
	if err := g.checkOperations(set, added); err != nil {
		return nil, err
	}
	var tools []planned
	for _, op := range added {
		tools = append(tools, g.planPreview(set, op))
		if spec.Tools == SharedTools || g.hidesWrites() {
			continue
		}
		tools = append(tools, g.planMove(set, op.applyTool, op, forApply))
		if op.undoTool != "" {
			tools = append(tools, g.planMove(set, op.undoTool, op, forUndo))
		}
	}
	if spec.Tools == SharedTools && !g.hidesWrites() && !set.tools[toolApplyChange] {
		tools = append(tools, g.planMove(set, toolApplyChange, nil, forApply), g.planMove(set, toolUndoChange, nil, forUndo))
	}
	if !set.tools[toolStatus] {
		tools = append(tools, g.planStatus(set))
	}
	return tools, rehearse(set, tools)
}

// checkOperations finds what is wrong with operations as this guard, with what it has already, would serve them.
func (g *Guard) checkOperations(set *toolset, added []*registered) error {
	for _, op := range added {
		if err := g.checkJoined(op); err != nil {
			return fmt.Errorf("operation %s: %w", op.Name, err)
		}
		if op.UndoTTL == 0 {
			continue
		}
		if err := g.opts.checkUndoTTL("its UndoTTL", op.UndoTTL); err != nil {
			return fmt.Errorf("operation %s: %w", op.Name, err)
		}
	}
	return g.checkNames(set, added)
}

// rehearse finds everything that would make adding a tool fail, panic, or replace another.
func rehearse(set *toolset, tools []planned) error {
	taken := map[string]bool{}
	scratch := mcp.NewServer(&mcp.Implementation{Name: "rehearsal"}, nil)
	for _, t := range tools {
		d := t.definition
		switch {
		case !toolName.MatchString(d.Name):
			return fmt.Errorf("the tool name %q is not allowed: use 1 to 128 of letters, digits, dot, _ and -", d.Name)
		case taken[d.Name], set.tools[d.Name]:
			return fmt.Errorf("the tool name %s is taken: give Spec.Prefix, or rename the operation", d.Name)
		case !isObjectSchema(d.InputSchema):
			return fmt.Errorf("the input schema of %s: its root must have type object", d.Name)
		}
		taken[d.Name] = true
		if err := tryAdd(scratch, t); err != nil {
			return fmt.Errorf("the tool %s cannot be added: %w", d.Name, err)
		}
	}
	return nil
}

func isObjectSchema(input any) bool {
	var root struct {
		Type any `json:"type"`
	}
	raw, ok := input.(json.RawMessage)
	return ok && json.Unmarshal(raw, &root) == nil && root.Type == "object"
}

// tryAdd makes an error of the panics by which the SDK refuses a tool.
func tryAdd(server *mcp.Server, t planned) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	server.AddTool(t.definition, t.handler)
	return nil
}

// add makes the operations known to the tools of the set.
func (s *toolset) add(server string, ops []*registered, tools []planned) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.servers[server] = true
	for _, op := range ops {
		for _, name := range op.names() {
			s.operations[operationKey{server, name}] = op
		}
	}
	for _, t := range tools {
		s.tools[t.definition.Name] = true
	}
}
