package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkColumns reports what a row of a query could never give a root, whose fields are its columns: members that have no
// field, where they are named, and an object without any.
func (r *reading) checkColumns(root *Type) {
	row, of := r.root, root
	if r.options.Shape == ListOfObjects {
		row, of = r.root.one("items", "").shape().core, root.Elem.Type
	}
	if of.Kind != Object {
		return // it is at fault
	}
	takesOthers := r.options.Open || r.membersOf(row) != nil
	reported := map[string]bool{}
	for _, field := range of.Fields {
		reported[field.Name] = true
	}
	for _, named := range row.namesMembers() {
		if !reported[named.name] && (takesOthers || !named.required) { // or else it is no property, which is reported
			r.reader.fault(named.noColumn())
		}
		reported[named.name] = true
	}
	if len(reported) == 0 {
		r.reader.fault(row.node.Fault(diag.NoColumn, "name its properties, which are the columns, or write observe: go",
			"it names no property, so that no column of the query has a place"))
	}
}

// namedMember is where a schema names a member of an object.
type namedMember struct {
	name     string
	node     *document.Node
	required bool // it stands in a list of names; or else it is a key
}

// namesMembers are the places where the site, and what always says more of its values, names members: as properties, and
// after that as required.
func (s *site) namesMembers() []namedMember {
	var properties, required []namedMember
	certain := []*site{s}
	for i := 0; i < len(certain); i++ {
		for _, property := range certain[i].all("properties") {
			properties = append(properties, namedMember{name: property.name, node: property.node})
		}
		for _, name := range texts(certain[i].node.Get("required")) {
			required = append(required, namedMember{name: name.Text, node: name, required: true})
		}
		for _, part := range certain[i].always() {
			if !slices.Contains(certain, part) {
				certain = append(certain, part)
			}
		}
	}
	return append(properties, required...)
}

// texts are those in a list.
func texts(list *document.Node) []*document.Node {
	if !list.Is(document.List) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(list.Children), func(item *document.Node) bool { return !item.Is(document.Text) })
}

// noColumn is the fault of a member that has no field.
func (m namedMember) noColumn() diag.Diagnostic {
	hint := "name it in the properties of the whole, or write observe: go"
	if !hasTag(m.name) {
		hint = "give it a name of letters and digits, with AS in the query, or write observe: go"
	}
	at := m.node.KeyFault
	if m.required {
		at = m.node.Fault
	}
	return at(diag.NoColumn, hint, "no column of the query can fill %s, which has no field", diag.Quote(m.name))
}
