package generator

import (
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// The names that the shared file declares whatever the spec says.
const (
	operationsName = spec.OperationsName
	configName     = spec.ConfigName
	registerName   = spec.RegisterName
	specName       = spec.SpecName
	schemasName    = spec.SchemasName
)

// model is a spec with the names of everything that is generated for it.
type model struct {
	*spec.Spec
	schemaFile  string
	sharedFile  string
	resources   []*resource // those that an operation uses
	operations  []*operation
	connections []*spec.Connection // those that a query uses
}

// resource is a resource with the names of its declarations.
type resource struct {
	*spec.Resource
	row     *schema.Type // what its query gives a row of; differs from State for a list
	columns string       // function that names the columns of a query; "" without a query
	observe string       // function that runs the query before apply; "" without one
	after   string       // function that runs the query after apply; "" without one
}

// queriesAfter says whether r has a query for after apply that is not also the one for before.
func (r *resource) queriesAfter() bool { return r.after != "" && r.after != r.observe }

// operation is an operation with the names of its declarations.
type operation struct {
	*spec.Operation
	file     string
	resource *resource
	build    string // function that makes its runtime.Operation
	change   string // alias of what apply is given
	applied  string // alias of what undo and a look after apply are given; "" if neither needs it
	doubtful string // alias of what reconcile is given; "" without one

	// The methods of Operations, "" where nothing is written by hand.
	prepareMethod, observeMethod, observeAfterMethod, applyMethod, undoMethod, reconcileMethod string
}

// resolve gathers the names of everything that is generated for a spec. The reader of the spec has given them, and seen
// to it that they differ.
func resolve(s *spec.Spec) *model {
	m := &model{
		Spec:       s,
		schemaFile: s.Stem + schemaFileEnd,
		sharedFile: s.Stem + goFileEnd,
	}
	byResource := map[*spec.Resource]*resource{}
	for _, op := range s.Operations {
		r := byResource[op.Resource]
		if r == nil {
			r = resolveResource(op.Resource)
			byResource[op.Resource] = r
		}
		m.operations = append(m.operations, resolveOperation(s, op, r))
	}
	for _, r := range s.Resources {
		if used := byResource[r]; used != nil {
			m.resources = append(m.resources, used)
		}
	}
	m.connections = usedConnections(s)
	return m
}

func resolveResource(r *spec.Resource) *resource {
	named := &resource{Resource: r}
	if r.State == nil {
		return named
	}
	named.row = r.State
	if r.Many {
		named.row = r.State.Elem.Type
	}
	names := r.Names()
	named.columns, named.observe, named.after = names.Columns, names.Look, names.After
	return named
}

func resolveOperation(s *spec.Spec, op *spec.Operation, r *resource) *operation {
	names := op.Names()
	return &operation{
		Operation:          op,
		file:               s.Stem + "." + op.Name + goFileEnd,
		resource:           r,
		build:              names.Build,
		change:             names.Change,
		applied:            names.Applied,
		doubtful:           names.Doubtful,
		prepareMethod:      names.Prepare,
		observeMethod:      names.Observe,
		observeAfterMethod: names.ObserveAfter,
		applyMethod:        names.Apply,
		undoMethod:         names.Undo,
		reconcileMethod:    names.Reconcile,
	}
}

// usedConnections are the connections that a query of an operation goes to, in the order of the spec.
func usedConnections(s *spec.Spec) []*spec.Connection {
	used := map[*spec.Connection]bool{}
	for _, op := range s.Operations {
		used[op.Resource.Observe.Connection] = true
		if after := op.Resource.After; after != nil {
			used[after.Connection] = true
		}
	}
	var connections []*spec.Connection
	for _, c := range s.Connections {
		if used[c] {
			connections = append(connections, c)
		}
	}
	return connections
}
