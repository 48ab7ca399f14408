package schema

import (
	"regexp"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// refPrefix begins the references that are supported.
const refPrefix = "#/$defs/"

// state says how far the reading of a definition has come.
type state int

const (
	unread state = iota
	busy         // being read: a reference to it from within is recursion
	read
)

// def is one schema in $defs.
type def struct {
	name  string
	node  *document.Node
	place Place
	state state
	use   Use
	named []*Type // of a definition of the document; those of a root's own are the root's
}

// definitions are the schemas of one $defs.
type definitions struct {
	ordered []*def
	byName  map[string]*def
}

func newDefinitions(node *document.Node, path string) *definitions {
	d := &definitions{byName: map[string]*def{}}
	if !node.Is(document.Map) {
		return d
	}
	for _, child := range node.Children {
		entry := &def{name: child.Key, node: child, place: definition(path, child)}
		d.ordered = append(d.ordered, entry)
		d.byName[child.Key] = entry
	}
	return d
}

// definitionName is what stands for itself in a reference, which is a part of a URL: % would begin an escape there.
var definitionName = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)

// checkDefinitions reports definitions that no reference can name, and leaves them unread.
func (r *Reader) checkDefinitions(d *definitions) {
	for _, entry := range d.ordered {
		if !definitionName.MatchString(entry.name) {
			r.faults.Add(entry.node.KeyFault(diag.BadName, "use letters, digits, _ . and -", "no reference can name a definition %s", diag.Quote(entry.name)))
			entry.state, entry.use = read, Use{Type: new(Type)}
		}
	}
}

func (d *definitions) names() []string {
	names := make([]string, len(d.ordered))
	for i, entry := range d.ordered {
		names[i] = entry.name
	}
	return names
}

// readReference reads a schema that is a $ref.
func (r *reading) readReference(ref *document.Node) Use {
	invalid := Use{Type: new(Type)}
	if !ref.Is(document.Text) {
		return invalid
	}
	name, ok := strings.CutPrefix(ref.Text, refPrefix)
	if !ok || !definitionName.MatchString(name) && r.lookup(name) == nil {
		r.fault(ref.Fault(diag.BadReference, "write "+refPrefix+"NAME", "reference %s is not supported", diag.Quote(ref.Text)))
		return invalid
	}
	found := r.lookup(name)
	switch {
	case found == nil:
		names := slices.Concat(r.own.names(), r.reader.defs.names())
		r.fault(ref.Fault(diag.BadReference, diag.DidYouMean(name, names), "no definition %s in $defs", diag.Quote(name)))
		return invalid
	case found.state == busy:
		r.fault(ref.Fault(diag.Recursion, "bound the depth with a definition for each level", "%s contains itself, which is not supported", diag.Quote(name)))
		return invalid
	}
	r.define(found)
	return found.use
}

// lookup finds a definition: the root's own wins, but within the document's $defs only those of the document count.
func (r *reading) lookup(name string) *def {
	if own := r.own.byName[name]; own != nil && !r.inDefs {
		return own
	}
	return r.reader.defs.byName[name]
}

// define reads a definition, once.
func (r *reading) define(d *def) {
	if d.state != unread {
		return
	}
	d.state = busy
	if r.own.byName[d.name] == d {
		d.use = r.read(d.node, d.place)
		d.state = read
		return
	}
	named, inDefs := r.named, r.inDefs
	r.named, r.inDefs = nil, true
	d.use = r.read(d.node, d.place)
	d.named, d.state = r.named, read
	r.named, r.inDefs = named, inDefs
}

// readUnused reads those of the root's own definitions that nothing refers to, for their faults.
func (r *reading) readUnused() {
	named, overrides := r.named, r.reader.overrides
	for _, d := range r.own.ordered {
		r.define(d)
	}
	r.named, r.reader.overrides = named, overrides
}
