package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// Reader reads the schemas of one document, which share its $defs.
type Reader struct {
	defs      *definitions
	overrides []*document.Node // schemas with Go names of the author's own
	faults    diag.List
	suspects  diag.List
}

// NewReader reads the schemas of a document whose $defs are defs; nil if it has none.
func NewReader(defs *document.Node) *Reader {
	r := &Reader{defs: newDefinitions(defs, "$defs")}
	r.checkDefinitions(r.defs)
	return r
}

// Shape is what the root of a schema must describe.
type Shape int

// The shapes of roots.
const (
	OneObject     Shape = iota // a payload, a result, a state
	ListOfObjects              // a state of many rows
)

// Root is a schema that has been read.
type Root struct {
	Type  *Type   // of Kind Invalid where the schema is at fault
	Named []*Type // the named types in it, each before those within it; none that the document's $defs declare
	// JSON is the schema that values are validated with: compact, in the author's order, with objects closed and
	// integers bounded. It is nil if the schema is at fault.
	JSON []byte
	// Canonical is the same for all schemas that take the same values for the same reasons; it is for digests.
	Canonical string
}

// Read reads the schema of a payload, a result or a state. What is wrong with it is added to Faults.
func (r *Reader) Read(node *document.Node, place Place, shape Shape) Root {
	reading := &reading{reader: r, root: node, own: newDefinitions(node.Get("$defs"), place.Path+".$defs")}
	before := len(r.faults)
	r.checkDefinitions(reading.own)
	root := Root{Type: reading.readRoot(node, place, shape)}
	root.Named = reading.named
	reading.readUnused()
	if root.Type.Kind == Invalid || len(r.faults) > before {
		return root
	}
	if handed := reading.handOut(); len(r.faults) == before {
		root.JSON, root.Canonical = handed.AppendJSON(nil), canonical(handed)
	}
	return root
}

// Defs reads those of the document's $defs that nothing refers to, for their faults, and returns the named types of
// those that something does, in the order of the document.
func (r *Reader) Defs() []*Type {
	var named []*Type
	for _, def := range r.defs.ordered {
		if def.state == read {
			named = append(named, def.named...)
		}
	}
	overrides := r.overrides
	for _, def := range r.defs.ordered {
		if def.state == unread {
			reading := &reading{reader: r, root: def.node, own: newDefinitions(nil, "")}
			reading.define(def)
			def.named = nil
		}
	}
	r.overrides = overrides // nothing of the others is generated
	return named
}

// Faults is what is wrong with the schemas that were read.
func (r *Reader) Faults() diag.List { return r.faults }

// Suspects are the schemas that cannot be used although Faults says nothing of them. What else is said of the document,
// by its own schema above all, is nearly always the cause, so that they are to be reported only where nothing is.
func (r *Reader) Suspects() diag.List { return r.suspects }

// reading is the reading of one root.
type reading struct {
	reader *Reader
	root   *document.Node
	own    *definitions // the root's own $defs
	inDefs bool         // within the document's $defs, where the root's own do not count
	named  []*Type
}

func (r *reading) fault(d diag.Diagnostic) { r.reader.faults.Add(d) }

// suspect notes that the root cannot be used.
func (r *reading) suspect(err error) {
	r.reader.suspects.Add(r.root.KeyFault(diag.BadValue, "", "no server could use this schema: %v", err))
}

// readRoot reads the schema at the root, which must be of a shape.
func (r *reading) readRoot(node *document.Node, place Place, shape Shape) *Type {
	if ref := node.Get("$ref"); ref != nil {
		r.fault(ref.KeyFault(diag.RootShape, "write the schema out here", "$ref is not supported at the root of a schema"))
		return new(Type)
	}
	use := r.read(node, place)
	if use.Type.Kind == Invalid {
		return use.Type
	}
	wanted, is := "an object", use.Type.Kind == Object
	if shape == ListOfObjects {
		wanted = "an array of objects, because observe gives a list"
		is = use.Type.Kind == Array && (use.Type.Elem.Type.Kind == Object && !use.Type.Elem.Nullable || use.Type.Elem.Type.Kind == Invalid)
	}
	if !is || use.Nullable {
		r.fault(node.Fault(diag.RootShape, "", "the schema must describe %s", wanted))
		return new(Type)
	}
	if shape == ListOfObjects {
		declare(use.Type, node, place)
		r.named = slices.Insert(r.named, 0, use.Type)
	}
	return use.Type
}

// name says what a type is named after and puts it on the list.
func (r *reading) name(t *Type, node *document.Node, place Place) {
	declare(t, node, place)
	r.named = append(r.named, t)
}

func declare(t *Type, node *document.Node, place Place) {
	t.Words, t.Path, t.at = place.Words, place.Path, node
}
