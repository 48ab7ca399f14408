package schema

import (
	"cmp"
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// Reader reads the schemas of one document, which share its $defs.
type Reader struct {
	shared    *scope
	named     []*site // in the document's $defs, with types that have names
	used      map[*site]bool
	overrides []*site // schemas with Go names of the author's own
	finite    map[*Type]bool
	checked   map[*site]bool // for what their objects need
	marked    bool           // some schema marks a value as sensitive
	faults    diag.List
	suspects  diag.List
}

// NewReader reads the schemas of a document whose $defs are defs; nil if it has none.
func NewReader(defs *document.Node) *Reader {
	r := &Reader{shared: &scope{}, used: map[*site]bool{}, finite: map[*Type]bool{}, checked: map[*site]bool{}}
	if !defs.Is(document.Map) {
		return r
	}
	for _, child := range defs.Children {
		def := r.shared.add(child, nil, "$defs", child.Key)
		def.base = definition("$defs", child)
		r.shared.defs = append(r.shared.defs, def)
	}
	for _, def := range r.shared.defs {
		r.survey(def)
	}
	r.link(r.shared.defs...)
	return r
}

// Shape is what the root of a schema must describe.
type Shape int

// The shapes of roots.
const (
	OneObject     Shape = iota // a payload, a result, a state
	ListOfObjects              // a state of many rows
)

// Options say how a root is read.
type Options struct {
	Shape     Shape
	Open      bool   // objects that say nothing of members that they do not name may have others
	Formats   bool   // formats are asserted
	Columns   bool   // its fields are the columns of a query
	Arguments bool   // what clients are shown may differ from what values are validated with; see [Root.Arguments]
	Reserved  string // a property that whoever reads the schema reports: see [Root.Namings]
}

// Root is a schema that has been read.
type Root struct {
	Type  *Type   // of Kind Invalid where the schema is at fault
	Named []*Type // the named types in it, each before those within it; none that the document's $defs declare
	// JSON is the schema that values are validated with: compact, in the author's order, with objects closed and
	// integers bounded. It is nil if the schema is at fault.
	JSON []byte
	// Arguments is the schema that clients are shown, where they would not take JSON: without what composes its root.
	// It is nil where they do.
	Arguments []byte
	// Canonical is the same for all schemas that take the same values for the same reasons; it is for digests.
	Canonical string
	top       *site
}

// Read reads the schema of a payload, a result or a state. What is wrong with it is added to Faults.
func (r *Reader) Read(node *document.Node, place Place, options Options) Root {
	before := len(r.faults)
	own := &scope{outer: r.shared}
	own.root = own.add(node, nil, "", "")
	own.root.base = place
	r.survey(own.root)
	r.link(own.root)
	reading := &reading{reader: r, root: own.root, options: options}
	root := Root{Type: reading.readRoot(), top: own.root}
	if root.Type.Kind == Invalid {
		return root
	}
	reading.finish(root.Type)
	if options.Columns {
		reading.checkColumns(root.Type)
	}
	root.Named = reading.named
	var reserved []*document.Node
	if options.Reserved != "" {
		reserved = root.Namings(options.Reserved)
	}
	closing := r.closeObjects(own.root, options.Open, reserved...)
	if len(r.faults) == before {
		reading.checkMarks()
		reading.handOut(&root, closing)
	}
	return root
}

// Defs are the named types of those of the document's $defs that something refers to, in the order of the document. The
// others are checked in turn.
func (r *Reader) Defs() []*Type {
	for _, def := range r.shared.defs {
		if !r.checked[def] {
			r.closeObjects(def, false)
		}
	}
	slices.SortFunc(r.named, func(a, b *site) int { return cmp.Compare(a.order, b.order) })
	types := make([]*Type, len(r.named))
	for i, s := range r.named {
		types[i] = s.memo.built
	}
	return types
}

// Faults is what is wrong with the schemas that were read.
func (r *Reader) Faults() diag.List { return r.faults }

// Suspects are the schemas with defaults that cannot be checked although Faults says nothing of them. What else is said
// of the document, by its own schema above all, is nearly always the cause, so that they are to be reported only where
// nothing is.
func (r *Reader) Suspects() diag.List { return r.suspects }

func (r *Reader) fault(d diag.Diagnostic) { r.faults.Add(d) }

// reading is the reading of one root.
type reading struct {
	reader  *Reader
	root    *site
	options Options
	named   []*Type
	built   []*site
	// integers are the schemas of integers that Go holds in 64 bits, where a value of this root may be one.
	integers map[*document.Node]bool
}

// suspect notes that the root cannot be used.
func (r *reading) suspect(err error) {
	r.reader.suspects.Add(r.root.node.KeyFault(diag.BadValue, "", "no server could use this schema: %v", err))
}
