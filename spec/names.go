package spec

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/goname"
	"github.com/changesetgen/changesetgen/spec/naming"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// OperationNames are the Go names of what is generated for an operation, but for its types; "" is what it does not have.
type OperationNames struct {
	Build        string // the function that makes its runtime.Operation
	Change       string // the alias of what apply is given
	Applied      string // the alias of what undo and a look after apply are given
	Prepare      string // methods of Operations, here and below
	Observe      string
	ObserveAfter string
	Apply        string
	Undo         string
	Reconcile    string
	Doubtful     string // the alias of what Reconcile is given
}

// Names are the Go names of what is generated for an operation.
func (op *Operation) Names() OperationNames {
	names := OperationNames{Build: goname.Unexported(op.Name) + "Operation", Change: op.GoName + "Change"}
	if op.Undo == BodyGo || op.Resource.After != nil {
		names.Applied = op.GoName + "Applied"
	}
	if op.Prepare == BodyGo {
		names.Prepare = "Prepare" + op.GoName
	}
	if op.Resource.Observe.Kind == ObserveGo {
		names.Observe = "Observe" + op.GoName
	}
	if op.Resource.After != nil && op.Resource.After.Kind == ObserveGo {
		names.ObserveAfter = "ObserveAfter" + op.GoName
	}
	if op.Apply == BodyGo {
		names.Apply = "Apply" + op.GoName
	}
	if op.Undo == BodyGo {
		names.Undo = "Undo" + op.GoName
	}
	if op.Reconcile == BodyGo {
		names.Reconcile, names.Doubtful = "Reconcile"+op.GoName, op.GoName+"Doubtful"
	}
	return names
}

// ResourceNames are the Go names of the functions that are generated for a resource; "" is what it does not have.
type ResourceNames struct {
	Columns string // says where the columns of its queries go
	Look    string // runs the query before apply
	After   string // runs the query after apply; that before apply where both are one, for other parameters
}

// Names are the Go names of the functions that are generated for a resource.
func (r *Resource) Names() ResourceNames {
	var names ResourceNames
	if r.State == nil {
		return names
	}
	if r.Observe.Kind == ObserveSQL {
		names.Look = "observe" + r.GoName + "State"
	}
	if r.After != nil && r.After.Kind == ObserveSQL {
		names.After = "observe" + r.GoName + "After"
		if names.Look != "" && r.After.SQL == r.Observe.SQL {
			names.After = names.Look
		}
	}
	if names.Look != "" || names.After != "" {
		names.Columns = goname.Unexported(r.Name) + "Columns"
	}
	return names
}

// The names that every generated package declares.
const (
	OperationsName = "Operations" // the interface of the hand-written bodies, and its field in Config
	ConfigName     = "Config"     // what the operations need
	RegisterName   = "Register"   // the function that registers the tools
	SpecName       = "changeset"  // the variable for the spec as a whole
	SchemasName    = "schemaFile" // the variable for the file of schemas
)

// importedNames are those of the packages that generated files may import: a declaration beside them would hide them.
var importedNames = []string{"context", "embed", "json", "mcp", "runtime", "sql", "sqlop", "time"}

// scopes are the parts of the generated package in which names must differ.
type scopes struct {
	pkg        naming.Scope
	config     naming.Scope // the fields of Config
	methods    naming.Scope // of Operations
	operations naming.Scope // what names of operations make their own from
	resources  naming.Scope // what names of resources make their own from

	renamed []string // key paths of what must have another name, and so must all within it
}

// follows tells whether the name of a type will change with that of what it stands in, or is itself.
func (s *scopes) follows(t *schema.Type) bool {
	return slices.ContainsFunc(s.renamed, func(path string) bool {
		rest, within := strings.CutPrefix(t.Where(), path)
		return within && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// checkNames gives everything that is generated its Go name, gathers these names, and reports those that collide. What
// has no Go name is reported where it is declared.
func (c *checker) checkNames() {
	s := new(scopes)
	for _, fault := range schema.Name(c.namedTypes()) {
		c.fault(fault)
		s.renamed = append(s.renamed, fault.Where)
	}
	s.pkg.Reserve("the interface of the hand-written bodies", OperationsName)
	s.pkg.Reserve("the type that holds connections", ConfigName)
	s.pkg.Reserve("the function that registers the tools", RegisterName)
	s.pkg.Reserve("a variable of the package", SpecName, SchemasName)
	s.pkg.Reserve("an imported package", importedNames...)
	s.config.Reserve("the field for the hand-written bodies", OperationsName)
	for _, connection := range c.spec.Connections {
		c.claim(&s.config, named("connection", connection.Name, connection.Pos), connection.GoName)
	}
	c.claimTypes(s, c.spec.Defs)
	for _, r := range c.spec.Resources {
		if !r.Inline {
			c.claimResource(s, r, named("resource", r.Name, r.Pos))
		}
	}
	for _, op := range c.spec.Operations {
		c.claimOperation(s, op)
	}
}

// named is a thing that the spec names, without its Go name.
func named(kind, name string, pos diag.Pos) naming.Thing {
	return naming.Thing{What: kind + " " + diag.Quote(name), Where: kind + "s." + name, Pos: pos}
}

// namedTypes are all types that are declared, in no order.
func (c *checker) namedTypes() []*schema.Type {
	types := slices.Clone(c.spec.Defs)
	for _, r := range c.spec.Resources {
		types = append(types, r.Types...)
	}
	for _, op := range c.spec.Operations {
		types = append(types, op.Types...)
	}
	return types
}

// claim takes names for a thing, or reports what has one of them and returns false.
func (c *checker) claim(scope *naming.Scope, thing naming.Thing, goNames ...string) bool {
	all := true
	for _, goName := range goNames {
		if goName == "" {
			continue
		}
		thing.GoName = goName
		if fault, ok := scope.Add(thing); !ok {
			c.fault(fault)
			all = false
		}
	}
	return all
}

// claimTypes takes the names of types and of the constants of enums.
func (c *checker) claimTypes(s *scopes, types []*schema.Type) {
	for _, t := range types {
		for _, thing := range t.Declares() {
			if !s.follows(t) && !c.claim(&s.pkg, thing, thing.GoName) {
				s.renamed = append(s.renamed, thing.Where)
			}
		}
	}
}

// claimResource takes the names of what is generated for a resource, which thing declares.
func (c *checker) claimResource(s *scopes, r *Resource, thing naming.Thing) {
	if !c.claim(&s.resources, thing, r.GoName) {
		return // everything else of it would collide too
	}
	c.claimTypes(s, r.Types)
	names := r.Names()
	c.claim(&s.pkg, thing, names.Columns, names.Look)
	if names.After != names.Look {
		c.claim(&s.pkg, thing, names.After)
	}
}

// claimOperation takes the names of what is generated for an operation.
func (c *checker) claimOperation(s *scopes, op *Operation) {
	thing := named("operation", op.Name, op.Pos)
	if !c.claim(&s.operations, thing, op.GoName) {
		return
	}
	if op.Resource.Inline {
		c.claimResource(s, op.Resource, thing)
	}
	c.claimTypes(s, op.Types)
	names := op.Names()
	c.claim(&s.pkg, thing, names.Build, names.Change, names.Applied, names.Doubtful)
	c.claim(&s.methods, thing, names.Prepare, names.Observe, names.ObserveAfter, names.Apply, names.Undo, names.Reconcile)
}
