package spec

import (
	"fmt"
	"regexp"
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// toolName is what every client takes as the name of a tool.
var toolName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_-]{0,63}$`)

// checkPrefix reads what the names of tools begin with.
func (c *checker) checkPrefix(node *document.Node) {
	prefix := textOf(node)
	if prefix != "" && !toolName.MatchString(prefix) {
		c.fault(node.Fault(diag.BadToolName, "begin with a letter; go on with letters, digits, _ and -",
			"clients refuse tool names that begin with %s", diag.Quote(prefix)))
		return
	}
	c.spec.Prefix = prefix
}

// sharedSuffix is what follows apply_ and undo_ in the names of the tools that all operations share.
const sharedSuffix = "change"

// checkToolNames reports operations whose tools clients would refuse, or take for others.
func (c *checker) checkToolNames() {
	known := c.sharedTools()
	for i, op := range c.spec.Operations {
		d := c.declared.operations[i]
		if op.Name == sharedSuffix && c.spec.Prefix == "" {
			c.fault(d.node.KeyFault(diag.BadToolName, "rename it, or write a prefix", "the tool 'apply_change' is the one for all operations"))
			continue
		}
		c.checkChosenTools(d, op)
		c.checkTools(known, op, c.tools(d, op))
	}
}

// checkTools checks the tools of an operation. One that is reported is enough: with it, the rest are mostly right too.
func (c *checker) checkTools(known seenTools, op *Operation, tools []ownTool) {
	for _, tool := range tools {
		if !tool.chosen && !plainName.MatchString(op.Name) { // reported
			return
		}
		if !c.checkToolName(op, tool) {
			return
		}
	}
	slices.SortStableFunc(tools, chosenLast) // reported at the name that was chosen, where it is that of another of its tools
	for _, tool := range tools {
		if !c.checkApart(known, op, tool) {
			return
		}
	}
}

// chosenLast sorts tools whose names are chosen behind the others.
func chosenLast(a, b ownTool) int {
	switch {
	case a.chosen == b.chosen:
		return 0
	case a.chosen:
		return 1
	}
	return -1
}

// checkToolName tells whether every client takes the name of a tool, and reports if not.
func (c *checker) checkToolName(op *Operation, tool ownTool) bool {
	if toolName.MatchString(tool.name) {
		return true
	}
	c.faultTool(op, tool, diag.BadToolName, "use up to 64 letters, digits, _ and -, prefix included",
		"clients refuse the tool name %s", diag.Quote(tool.name))
	return false
}

// faultTool reports a tool where its name is chosen, or made.
func (c *checker) faultTool(op *Operation, tool ownTool, code, hint, format string, args ...any) {
	d := tool.node.Fault(code, hint, format, args...)
	if !tool.chosen {
		d = tool.node.KeyFault(code, hint, format, args...)
	}
	c.faultsOf(op, diag.List{d})
}

// The tools of an operation, as tool_names and the names that are made call them.
const (
	previewKey = "preview"
	applyKey   = "apply"
	undoKey    = "undo"
)

// The tools of a guard. Another spec may have the shared ones on the same server, whatever the style of this one.
const (
	statusTool = "get_change_status"
	applyTool  = applyKey + "_" + sharedSuffix
	undoTool   = undoKey + "_" + sharedSuffix
)

// sharedTools are the tools that belong to no operation alone.
func (c *checker) sharedTools() seenTools {
	names := []string{statusTool}
	if c.spec.Tools == SharedTools {
		names = append(names, applyTool, undoTool)
	}
	known := seenTools{}
	for _, name := range names {
		known[c.clientName(name)] = seenTool{name: name, whose: "which all operations share"}
	}
	return known
}

// ownTool is a tool of an operation alone, and the node that names it: the operation, or the name that it chooses.
type ownTool struct {
	name   string
	node   *document.Node
	chosen bool
}

// tools are the tools of an operation alone.
func (c *checker) tools(d *declaredOperation, op *Operation) []ownTool {
	made := func(key, chosen string) ownTool {
		if chosen != "" {
			return ownTool{chosen, d.policy.toolNames.Get(key), true}
		}
		return ownTool{c.spec.Prefix + key + "_" + op.Name, d.node, false}
	}
	tools := []ownTool{made(previewKey, op.ToolNames.Preview)}
	if c.spec.Tools == SharedTools {
		return tools
	}
	tools = append(tools, made(applyKey, op.ToolNames.Apply))
	if op.Undo != BodyNone {
		tools = append(tools, made(undoKey, op.ToolNames.Undo))
	}
	return tools
}

// checkChosenTools reads the names that an operation chooses for its tools, and reports those for tools that it has not.
func (c *checker) checkChosenTools(d *declaredOperation, op *Operation) {
	chosen := func(key string) string { return textOf(text(d.policy.toolNames.Get(key))) }
	op.ToolNames = ToolNames{Preview: chosen(previewKey), Apply: chosen(applyKey), Undo: chosen(undoKey)}
	report := func(key, code, hint, format string, args ...any) {
		c.faultsOf(op, diag.List{d.policy.toolNames.Get(key).KeyFault(code, hint, format, args...)})
	}
	if op.Undo == BodyNone && op.ToolNames.Undo != "" {
		op.ToolNames.Undo = ""
		if d.node.Get("tool_names") != nil { // a default is for those that have an undo
			report(undoKey, diag.BadInverse, "take it out, or write undo: go", "a tool for an undo, and there is none")
		}
	}
	for _, tool := range []struct{ key, name string }{{applyKey, op.ToolNames.Apply}, {undoKey, op.ToolNames.Undo}} {
		if tool.name != "" && c.spec.Tools == SharedTools {
			report(tool.key, diag.IdleKey, "take it out, or write tools: per_operation", "with 'tools: shared', all operations have one tool to %s", tool.key)
		}
	}
}

// Some clients put the server before the name of a tool, and keep only both ends of what is too long then.
const (
	clientLimit = 60 // characters of the longest name that every client leaves whole
	clientEnd   = 30 // characters that are kept at each end of a longer one
)

// clientName is what the most forgetful client makes of the name of a tool.
func (c *checker) clientName(tool string) string {
	name := []rune("mcp__" + c.spec.Server.Name + "__" + tool)
	if len(name) <= clientLimit {
		return string(name)
	}
	return string(name[:clientEnd]) + string(name[len(name)-clientEnd:])
}

// seenTools are tools by what the most forgetful client calls them.
type seenTools map[string]seenTool

// seenTool is the name of a tool, and whose it is.
type seenTool struct {
	name, whose string
	node        *document.Node // that names it; nil of one that all operations share
}

// checkApart tells whether a client takes a tool for no other one, and reports if it does.
func (c *checker) checkApart(known seenTools, op *Operation, tool ownTool) bool {
	seen := c.clientName(tool.name)
	other, alike := known[seen]
	switch {
	case slices.Contains([]string{statusTool, applyTool, undoTool}, tool.name):
		c.faultTool(op, tool, diag.BadToolName, "write another name", "the tool %s is one for all operations", diag.Quote(tool.name))
	case alike && tool.chosen && other.node == tool.node:
		c.faultTool(op, tool, diag.ToolsAlike, "write it into one of the operations", "as a default, %s is the name of a tool of each operation", diag.Quote(tool.name))
	case alike && other.name == tool.name:
		c.faultTool(op, tool, diag.ToolsAlike, "write another name", "there is a tool %s already, %s", diag.Quote(tool.name), other.whose)
	case alike:
		c.faultTool(op, tool, diag.ToolsAlike, "shorten the operation, the prefix or the name of the server",
			"clients that cut long names take the tool %s for %s %s: both are %s to them",
			diag.Quote(tool.name), diag.Quote(other.name), other.whose, diag.Quote(seen))
	default:
		pos := tool.node.Start()
		if tool.chosen {
			pos = tool.node.Pos
		}
		known[seen] = seenTool{tool.name, fmt.Sprintf("at %d:%d", pos.Line, pos.Column), tool.node}
		return true
	}
	return false
}
