package schema

import "github.com/changesetgen/changesetgen/spec/document"

// Namings are where the schema of an object, or what it is composed of, counts on a property: describes it, requires it,
// or asks whether it is there. A schema that it must not satisfy counts on nothing, and neither does a pattern of names.
func (r Root) Namings(property string) []*document.Node {
	n := namings{property: property, seen: map[*site]bool{}}
	n.visit(r.top)
	return n.found
}

// namings is a search along schemas that are about the same object.
type namings struct {
	property string
	seen     map[*site]bool
	found    []*document.Node
}

func (n *namings) visit(s *site) {
	if s == nil || n.seen[s] {
		return
	}
	n.seen[s] = true
	property := s.node.Get("properties").Get(n.property)
	if property != nil {
		n.found = append(n.found, property)
	} else {
		n.addListed(s.node.Get("required"))
	}
	for _, keyword := range []string{"dependentRequired", "dependentSchemas"} {
		n.addDependent(s.node.Get(keyword), property != nil)
	}
	for _, part := range s.inPlace() {
		if part.keyword != "not" {
			n.visit(part)
		}
	}
}

// addListed adds the items of a list that name the property.
func (n *namings) addListed(list *document.Node) {
	if !list.Is(document.List) {
		return
	}
	for _, item := range list.Children {
		if item.Is(document.Text) && item.Text == n.property {
			n.found = append(n.found, item)
		}
	}
}

// addDependent adds what depends on the property, and where it is what something else depends on. Where it is described,
// that is said already.
func (n *namings) addDependent(dependent *document.Node, described bool) {
	if !dependent.Is(document.Map) || described {
		return
	}
	for _, child := range dependent.Children {
		if child.Key == n.property {
			n.found = append(n.found, child)
			continue
		}
		n.addListed(child)
	}
}
