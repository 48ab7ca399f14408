package runtime

import (
	"cmp"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/internal/schemafile"
	"github.com/changesetgen/changesetgen/runtime/internal/secret"
)

// name gives an operation the tools that serve it, and the schemas that clients are shown.
func name(e *erased, spec Spec, schemas *schemafile.File) (*registered, error) {
	if err := checkToolNames(e, spec.Tools); err != nil {
		return nil, err
	}
	arguments, err := schemas.PreviewInput(e.Name, aboutRequestID)
	if err != nil {
		return nil, fmt.Errorf("operation %s: the schema of its arguments: %w", e.Name, err)
	}
	result, err := schemas.ResultOutput(e.Name, secret.Hidden)
	if err != nil {
		return nil, fmt.Errorf("operation %s: %w", e.Name, err)
	}
	r := &registered{
		erased: e, server: spec.Server, previewTool: cmp.Or(e.ToolNames.Preview, spec.Prefix+"preview_"+e.Name),
		argumentsSchema: arguments, resultSchema: result,
	}
	if spec.Tools == SharedTools {
		r.applyTool, r.undoTool = toolApplyChange, toolUndoChange
		return r, nil
	}
	r.applyTool = cmp.Or(e.ToolNames.Apply, spec.Prefix+"apply_"+e.Name)
	if e.undo != nil {
		r.undoTool = cmp.Or(e.ToolNames.Undo, spec.Prefix+"undo_"+e.Name)
	}
	return r, nil
}

// checkToolNames refuses names for tools that there are not: whoever gave them counts on them.
func checkToolNames(e *erased, style ToolStyle) error {
	switch names := e.ToolNames; {
	case style == SharedTools && (names.Apply != "" || names.Undo != ""):
		return fmt.Errorf("operation %s: its ToolNames name an apply or undo tool, and it shares those of all operations: leave them empty, or use PerOperation", e.Name)
	case names.Undo != "" && e.undo == nil:
		return fmt.Errorf("operation %s: its ToolNames name an undo tool, and it has no Undo: leave that empty", e.Name)
	}
	return nil
}

// checkNames makes sure that every change belongs to one operation, whatever the operation was called when it was made.
func (g *Guard) checkNames(set *toolset, added []*registered) error {
	taken := map[string]string{}
	for _, op := range added {
		for i, name := range op.names() {
			other := cmp.Or(g.namesake(set, op, name), taken[name])
			switch {
			case other == "":
			case i == 0 && other == name:
				return fmt.Errorf("operation %s is registered already", name)
			default:
				return fmt.Errorf("operation %s: its name or alias %s is one of the operation %s: its changes would belong to both", op.Name, name, other)
			}
			taken[name] = op.Name
		}
	}
	return nil
}

// namesake is the operation that has a name of op already; "" if there is none. On another server of the guard that may be
// op itself: its changes are of one operation there and here.
func (g *Guard) namesake(set *toolset, op *registered, name string) string {
	key := operationKey{op.server, name}
	if known := set.operations[key]; known != nil {
		return known.Name
	}
	for _, elsewhere := range g.toolsets {
		if known := elsewhere.operations[key]; known != nil && known.Name != op.Name {
			return known.Name
		}
	}
	return ""
}
