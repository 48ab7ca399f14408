package spec

import (
	"regexp"
	"strconv"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/goname"
	"github.com/changesetgen/changesetgen/spec/schema"
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

// checkToolNames reports an operation whose tools clients would refuse, or that would be taken for the shared tools.
func (c *checker) checkToolNames(node *document.Node) {
	if node.Key == sharedSuffix && c.spec.Prefix == "" {
		c.fault(node.KeyFault(diag.BadToolName, "rename it, or write a prefix", "the tool 'apply_change' is the one for all operations"))
		return
	}
	name := c.spec.Prefix + "preview_" + node.Key
	if plainName.MatchString(node.Key) && !toolName.MatchString(name) {
		c.fault(node.KeyFault(diag.BadToolName, "use up to 64 letters, digits, _ and -, prefix included",
			"clients refuse the tool name %s", diag.Quote(name)))
	}
}

// named is something of the generated package that has a Go name.
type named struct {
	goName string
	what   string
	pos    diag.Pos
	where  string
}

// names are the Go names of one scope, by what has them.
type names map[string]named

// claim takes a name, or reports what has it and returns false.
func (c *checker) claim(taken names, n named) bool {
	if !goname.IsExported(n.goName) {
		return true // what has no Go name is reported where it is declared
	}
	first, ok := taken[n.goName]
	if !ok {
		taken[n.goName] = n
		return true
	}
	other := "which is that of " + first.what
	if first.pos.Line > 0 {
		other = "as " + first.what + " on line " + strconv.Itoa(first.pos.Line) + " has"
	}
	c.fault(diag.Diagnostic{
		Pos: n.pos, Where: n.where, Code: diag.NameTaken, Hint: "rename one of them",
		Message: n.what + " has the Go name " + n.goName + ", " + other,
	})
	return false
}

// checkNames gathers the Go names of everything that is generated, and reports those that collide. A name is never
// changed to make it fit: it would change again with the next thing that is declared.
func (c *checker) checkNames() {
	c.nameTypes()
	fields := names{"Operations": {what: "the field for the hand-written bodies"}}
	for _, connection := range c.spec.Connections {
		c.claim(fields, named{connection.GoName, "connection " + diag.Quote(connection.Name), connection.Pos, "connections." + connection.Name})
	}
	types := names{
		"Operations": {what: "the interface of the hand-written bodies"},
		"Config":     {what: "the type that holds connections"},
		"Register":   {what: "the function that registers the tools"},
	}
	c.claimTypes(types, c.spec.Defs, "")
	resources, operations, methods := names{}, names{}, names{}
	for _, r := range c.spec.Resources {
		if !r.Inline {
			c.claimResource(resources, types, r, named{r.GoName, "resource " + diag.Quote(r.Name), r.Pos, "resources." + r.Name})
		}
	}
	for _, op := range c.spec.Operations {
		n := named{op.GoName, "operation " + diag.Quote(op.Name), op.Pos, "operations." + op.Name}
		if !c.claim(operations, n) {
			continue
		}
		if op.Resource.Inline {
			c.claimResource(resources, types, op.Resource, n)
		}
		c.claimOperation(types, methods, op, n)
	}
}

// nameTypes gives Go names to all types.
func (c *checker) nameTypes() {
	c.faults = append(c.faults, schema.Name(c.spec.Defs)...)
	for _, r := range c.spec.Resources {
		c.faults = append(c.faults, schema.Name(r.Types)...)
	}
	for _, op := range c.spec.Operations {
		c.faults = append(c.faults, schema.Name(op.Types)...)
	}
}

// claimResource takes the names of what is generated for a resource.
func (c *checker) claimResource(resources, types names, r *Resource, n named) {
	if c.claim(resources, n) {
		c.claimTypes(types, r.Types, n.where+".")
	}
}

// claimOperation takes the names of what is generated for an operation.
func (c *checker) claimOperation(types, methods names, op *Operation, n named) {
	c.claimTypes(types, op.Types, n.where+".")
	for _, suffix := range []string{"Change", "Applied"} {
		n.goName = op.GoName + suffix
		c.claim(types, n)
	}
	written := []string{"Apply"}
	if op.Undo == BodyGo {
		written = append(written, "Undo")
	}
	if op.Resource.Observe.Kind == ObserveGo {
		written = append(written, "Observe")
	}
	if op.Resource.After != nil && op.Resource.After.Kind == ObserveGo {
		written = append(written, "ObserveAfter")
	}
	for _, prefix := range written {
		n.goName = prefix + op.GoName
		c.claim(methods, n)
	}
}

// claimTypes takes the names of types and of the constants of enums.
func (c *checker) claimTypes(taken names, types []*schema.Type, where string) {
	for _, t := range types {
		c.claim(taken, named{t.GoName, "the type of " + diag.Quote(t.Path), t.Pos, where + t.Path})
		for _, value := range t.Values {
			c.claim(taken, named{value.GoName, "value " + diag.Quote(value.Text) + " of " + diag.Quote(t.Path), value.Pos, where + t.Path})
		}
	}
}
