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
		node := c.declared.operations[i].node
		if op.Name == sharedSuffix && c.spec.Prefix == "" {
			c.fault(node.KeyFault(diag.BadToolName, "rename it, or write a prefix", "the tool 'apply_change' is the one for all operations"))
			continue
		}
		tools := c.tools(op)
		refused := slices.IndexFunc(tools, func(name string) bool { return !toolName.MatchString(name) })
		switch {
		case !plainName.MatchString(op.Name): // reported
		case refused >= 0:
			c.fault(node.KeyFault(diag.BadToolName, "use up to 64 letters, digits, _ and -, prefix included",
				"clients refuse the tool name %s", diag.Quote(tools[refused])))
		default:
			c.checkApart(known, tools, node)
		}
	}
}

// sharedTools are the tools that belong to no operation alone.
func (c *checker) sharedTools() seenTools {
	known := seenTools{}
	names := []string{"get_change_status"}
	if c.spec.Tools == SharedTools {
		names = append(names, "apply_"+sharedSuffix, "undo_"+sharedSuffix)
	}
	for _, name := range names {
		known[c.clientName(name)] = diag.Quote(name) + ", which all operations share"
	}
	return known
}

// tools are the tools of an operation alone.
func (c *checker) tools(op *Operation) []string {
	tools := []string{c.spec.Prefix + "preview_" + op.Name}
	if c.spec.Tools == SharedTools {
		return tools
	}
	tools = append(tools, c.spec.Prefix+"apply_"+op.Name)
	if op.Undo != BodyNone {
		tools = append(tools, c.spec.Prefix+"undo_"+op.Name)
	}
	return tools
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

// seenTools are what tools are called in messages, by what the most forgetful client calls them.
type seenTools map[string]string

// checkApart reports an operation of which a client takes a tool for another one. One is enough: with it, the rest are
// mostly told apart too.
func (c *checker) checkApart(known seenTools, tools []string, node *document.Node) {
	for _, name := range tools {
		seen := c.clientName(name)
		if other, alike := known[seen]; alike {
			c.fault(node.KeyFault(diag.ToolsAlike, "shorten the operation, the prefix or the name of the server",
				"clients that cut long names take the tool %s for %s: both are %s to them", diag.Quote(name), other, diag.Quote(seen)))
			return
		}
		known[seen] = fmt.Sprintf("%s at %d:%d", diag.Quote(name), node.KeyPos.Line, node.KeyPos.Column)
	}
}
