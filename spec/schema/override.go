package schema

import (
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/goname"
)

// The keywords for Go names that an author chooses.
const (
	goName  = "x-go-name"  // of a field, of the type that a schema declares
	goNames = "x-go-names" // of the values of an enum: what follows the name of the type in that of the constant
)

// readOverrides notes that a schema has names of the author's own, and reports those that no Go name can be.
func (r *Reader) readOverrides(s *site) {
	own, values := s.node.Get(goName), s.node.Get(goNames)
	if own == nil && values == nil {
		return
	}
	r.overrides = append(r.overrides, s)
	if own != nil {
		r.checkOverride(own)
	}
	if values != nil && !values.Is(document.Map) {
		r.fault(values.Fault(diag.WrongKind, "write {VALUE: NAME}", "must be a map, not %s", values.Kind))
		return
	}
	if values != nil {
		for _, value := range values.Children {
			r.checkOverride(value)
		}
	}
}

func (r *Reader) checkOverride(own *document.Node) {
	const hint = "begin with a capital letter; go on with letters and digits"
	switch {
	case own.Broken:
	case !own.Is(document.Text):
		r.fault(own.Fault(diag.WrongKind, hint, "must be text, not %s", own.Kind))
	case !goname.IsExported(own.Text):
		r.fault(own.Fault(diag.BadOverride, hint, "%s is no exported Go name", diag.Quote(own.Text)))
	}
}

// Idle reports the names of the author's own that nothing has, where types are all that is generated. In a schema that
// is at fault a name may have nothing to do, so that this is to be asked only where there is no other fault.
func (r *Reader) Idle(types []*Type) diag.List {
	named, valued := map[*document.Node]bool{}, map[*document.Node]bool{}
	for _, t := range types {
		last := t.Words[len(t.Words)-1]
		named[t.at] = named[t.at] || last == wordOf(t.at, "")
		valued[t.at] = t.Kind == Enum
		for _, field := range t.Fields {
			named[field.at] = true
		}
		for _, branch := range t.Branches {
			named[branch.at] = true
		}
	}
	var idle diag.List
	for _, s := range r.overrides {
		if def := s.definition(); def != nil && !r.used[def] {
			continue // nothing of it is generated
		}
		node := s.node
		if own := node.Get(goName); own != nil && !named[node] {
			idle.Add(s.idleName(own))
		}
		if own := node.Get(goNames); own != nil && !valued[node] {
			idle.Add(s.idleNames(own))
		}
	}
	return idle
}

// idleName reports a name of the author's own for what has none in Go.
func (s *site) idleName(own *document.Node) diag.Diagnostic {
	if s.keyword == "properties" && !hasTag(s.name) {
		return own.KeyFault(diag.BadOverride, "take it out, or rename the property",
			"the property has no field, because no struct tag can hold %s", tagFault(s.name))
	}
	return own.KeyFault(diag.BadOverride, "take it out, or write it into a property or into what becomes a type of its own",
		"there is nothing here that is named in Go")
}

// idleNames reports names of the author's own for values that no constants stand for.
func (s *site) idleNames(own *document.Node) diag.Diagnostic {
	if s.listed() == nil {
		return own.KeyFault(diag.BadOverride, "take it out, or write it beside an enum", "there are no values here that are named in Go")
	}
	return own.KeyFault(diag.BadOverride, "take it out", "its values have no constants, as they do not become a Go type of their own")
}
