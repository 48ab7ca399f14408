package spec

import (
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/goname"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checker makes a Spec of what a document declares, and goes on after a fault to find the others.
type checker struct {
	declared    *declared
	spec        *Spec
	schemas     *schema.Reader
	connections map[string]*Connection
	resources   map[string]*resource
	faults      diag.List
}

// check makes the Spec and finds what is wrong with it.
func check(name string, d *declared) *checker {
	base := filepath.Base(name)
	stem, _, _ := strings.Cut(base, ".")
	c := &checker{
		declared:    d,
		spec:        &Spec{File: base, Stem: stem, Tools: PerOperation},
		schemas:     schema.NewReader(d.defs),
		connections: map[string]*Connection{},
		resources:   map[string]*resource{},
	}
	c.checkFile()
	c.checkTop()
	c.checkConnections()
	c.checkResources()
	c.checkOperations()
	c.checkAliases()
	c.checkUnusedDefaults()
	c.checkUnused()
	c.spec.Defs = c.schemas.Defs()
	c.checkToolNames()
	c.checkNames()
	c.faults = append(c.faults, c.schemas.Faults()...)
	return c
}

// suspects are further faults, of a spec that has no others: in one that has, they could follow from them.
func (c *checker) suspects() diag.List {
	return append(c.schemas.Suspects(), c.schemas.Idle(c.namedTypes())...)
}

func (c *checker) fault(d diag.Diagnostic) { c.faults.Add(d) }

func (c *checker) checkTop() {
	d := c.declared
	if d.pkg != nil {
		c.spec.Package = d.pkg.Text
		c.checkPackage(d.pkg)
	}
	c.checkLine(d.name)
	c.checkLine(d.title)
	c.spec.Server = Server{Name: strings.TrimSpace(textOf(d.name)), Title: strings.TrimSpace(textOf(d.title))}
	if d.title == nil {
		c.spec.Server.Title = c.spec.Server.Name
	}
	if d.tools != nil {
		c.spec.Tools = ToolStyle(d.tools.Text)
	}
	c.checkPrefix(d.prefix)
}

// packageName is what packages are called by convention: the folder of the same name is the same on every system.
var packageName = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// reservedPackages have names that mean something to Go: one is a program, one is not compiled, two are the language's.
var reservedPackages = []string{"main", "documentation", "builtin", "unsafe"}

// checkPackage reports a name that the generated package cannot have. A word of Go is none either.
func (c *checker) checkPackage(node *document.Node) {
	switch {
	case slices.Contains(reservedPackages, node.Text) || token.IsKeyword(node.Text):
		c.fault(node.Fault(diag.BadName, "name it after what it changes", "%s means something else to Go", diag.Quote(node.Text)))
	case !packageName.MatchString(node.Text):
		c.fault(node.Fault(diag.BadName, "begin with a small letter, go on with small letters and digits", "%s is no name of a Go package", diag.Quote(node.Text)))
	}
}

// textOf is the text of a node; "" if it is not there.
func textOf(node *document.Node) string {
	if node == nil {
		return ""
	}
	return node.Text
}

// plainName is what operations, resources and connections may be called. It makes names of files and tools that differ
// on every system.
var plainName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// checkName reports a name that is not plain, or that Go cannot say.
func (c *checker) checkName(node *document.Node) {
	if !plainName.MatchString(node.Key) || !goname.IsExported(goname.Exported(node.Key)) {
		c.fault(node.KeyFault(diag.BadName, "begin with a small letter; go on with small letters, digits and _",
			"name %s is not allowed", diag.Quote(node.Key)))
	}
}

func (c *checker) checkConnections() {
	for _, d := range c.declared.connections {
		c.checkName(d.node)
		connection := &Connection{
			Name:    d.node.Key,
			GoName:  goname.Exported(d.node.Key),
			Dialect: Dialect(textOf(d.dialect)),
			Pos:     d.node.KeyPos,
		}
		c.connections[connection.Name] = connection
		c.spec.Connections = append(c.spec.Connections, connection)
	}
}

// nearest is the hint for a name that is not declared.
func nearest[T any](name string, declared []T, nameOf func(T) string, what string) string {
	names := make([]string, len(declared))
	for i, d := range declared {
		names[i] = nameOf(d)
	}
	if hint := diag.DidYouMean(name, names); hint != "" || len(names) == 0 {
		return hint
	}
	return what + ": " + strings.Join(names, ", ")
}
