package spec

import "github.com/changesetgen/changesetgen/spec/document"

// declaredPolicy is what an operation declares of how its changes are guarded.
type declaredPolicy struct {
	approval, when  *document.Node // who, and for which changes
	undoApproval    *document.Node
	goes            bool // reconcile: go
	doneWhen        *document.Node
	joined          *document.Node // a boolean
	retry, noChange *document.Node
	undoNeedsResult *document.Node // a boolean
	revision        *document.Node
	aliases         []*document.Node
	limits          declaredLimits
	openWorld       *document.Node // a boolean
	toolNames       *document.Node // a map of texts
}

type declaredLimits struct {
	node              *document.Node // a map
	changes, maxItems *document.Node // numbers
	per, by, items    *document.Node
}

// decodePolicy takes apart what get finds by key.
func decodePolicy(get func(string) *document.Node) declaredPolicy {
	reconcile, limits := get("reconcile"), get("limits")
	return declaredPolicy{
		approval: textOr(get("approval"), "by"), when: text(get("approval").Get("when")),
		undoApproval: textOr(get("undo_approval"), "by"),
		goes:         textOf(text(reconcile)) == wordGo, doneWhen: text(reconcile.Get("done_when")),
		joined: get("joined"), retry: text(get("retry")), noChange: text(get("no_change")),
		undoNeedsResult: get("undo_needs_result"), revision: text(get("revision")), aliases: texts(get("aliases")),
		limits: declaredLimits{
			node: limits, changes: limits.Get("changes"), per: text(limits.Get("per")), by: text(limits.Get("by")),
			items: text(limits.Get("items")), maxItems: limits.Get("max_items"),
		},
		openWorld: get("annotations").Get("open_world"), toolNames: get("tool_names"),
	}
}

// textOr is text that stands for itself, or under a key of a map.
func textOr(node *document.Node, key string) *document.Node {
	if node.Is(document.Map) {
		return text(node.Get(key))
	}
	return text(node)
}

func isFalse(node *document.Node) bool { return node.Is(document.Boolean) && node.Text == "false" }
