package schema

import (
	"strconv"

	"github.com/changesetgen/changesetgen/spec/document"
)

// site is one schema of a document: where it stands, the schemas within it, and the one that it refers to.
type site struct {
	node    *document.Node
	scope   *scope
	above   *site   // the schema it stands in; nil for a root and for a definition of the document
	keyword string  // of the schema above that holds it; "" for a root, $defs for a definition of the document
	name    string  // what it stands under there: a property, a pattern, a definition, an index; "" if there is only one
	within  []*site // in the order of the document
	target  *site   // what its $ref leads to; nil without one, and where it is at fault
	broken  bool    // a keyword that says what it describes cannot be read
	faulty  bool    // a keyword is at fault that might have said what it describes
	order   int     // of the sites of a scope, in the order of the document
	base    Place   // of a root or a definition
	word    *Word   // what a branch of a union brings to names
	memo    memo
}

// memo holds what has been found out about a site.
type memo struct {
	takes     *types
	shape     *shape
	names     *bool   // see namesOpenly
	evaluates *bool   // see evaluates
	elsewhere []*site // see elsewhere; not nil once it is known
	limits    *limits
	heard     heard
	built     *Type
}

// scope is what the references of some schemas start from.
type scope struct {
	root  *site   // what # leads to; nil for the definitions of the document, which are no schema as a whole
	defs  []*site // of the document, in its order; nil for a root, whose own definitions are within it
	outer *scope  // where definitions are looked up that are not in this one; nil for the document
	sites int
}

// add makes the site of a schema and of all within it.
func (c *scope) add(node *document.Node, above *site, keyword, name string) *site {
	s := &site{node: node, scope: c, above: above, keyword: keyword, name: name, order: c.sites}
	c.sites++
	for _, child := range node.Children {
		s.addWithin(child)
	}
	return s
}

// addWithin makes the sites of the schemas that a keyword holds.
func (s *site) addWithin(child *document.Node) {
	if !s.node.Is(document.Map) {
		return
	}
	add := func(node *document.Node, name string) {
		s.within = append(s.within, s.scope.add(node, s, child.Key, name))
	}
	switch holds := keywords[child.Key].holds; {
	case holds == aSchema:
		add(child, "")
	case holds == aList && child.Is(document.List):
		for i, inner := range child.Children {
			add(inner, strconv.Itoa(i))
		}
	case holds == byName && child.Is(document.Map):
		for _, inner := range child.Children {
			add(inner, inner.Key)
		}
	}
}

// walk calls visit for the site and for all within it.
func (s *site) walk(visit func(*site)) {
	visit(s)
	for _, inner := range s.within {
		inner.walk(visit)
	}
}

// all are the schemas that a keyword holds.
func (s *site) all(keyword string) []*site {
	var found []*site
	for _, inner := range s.within {
		if inner.keyword == keyword {
			found = append(found, inner)
		}
	}
	return found
}

// one is the schema that a keyword holds under a name; nil if there is none.
func (s *site) one(keyword, name string) *site {
	for _, inner := range s.within {
		if inner.keyword == keyword && inner.name == name {
			return inner
		}
	}
	return nil
}

// has tells whether a schema has a keyword.
func (s *site) has(keyword string) bool { return s.node.Get(keyword) != nil }

// refuses tells whether a keyword is there, and is false.
func (s *site) refuses(keyword string) bool {
	value := s.node.Get(keyword)
	return value.Is(document.Boolean) && value.Text == "false"
}

// inPlace are the schemas that say more about the same value: those that compose it, and the one referred to.
func (s *site) inPlace() []*site {
	var parts []*site
	if s.target != nil {
		parts = append(parts, s.target)
	}
	for _, inner := range s.within {
		if inner.isPart() {
			parts = append(parts, inner)
		}
	}
	return parts
}

// isPart tells whether the site is about the same value as the schema above.
func (s *site) isPart() bool { return keywords[s.keyword].inPlace }

// standsIn is the site of the value that the site is about.
func (s *site) standsIn() *site {
	for s.isPart() && s.above != nil {
		s = s.above
	}
	return s
}

// tests are the keywords whose schemas decide something, and describe no value that was accepted.
var tests = map[string]bool{"not": true, "if": true, "contains": true, "propertyNames": true, "contentSchema": true}

// isTest tells whether the site stands in a schema that only decides something.
func (s *site) isTest() bool {
	for at := s; at != nil; at = at.above {
		if tests[at.keyword] {
			return true
		}
	}
	return false
}

// pointer is the JSON Pointer of the site in its root, each part escaped as in a reference. That of a definition of the
// document is where it is bundled.
func (s *site) pointer() string {
	if s.keyword == "" {
		return ""
	}
	above := ""
	if s.above != nil {
		above = s.above.pointer()
	}
	at := above + "/" + escape(s.keyword)
	if keywords[s.keyword].holds != aSchema {
		at += "/" + escape(s.name)
	}
	return at
}

// definition is the outermost definition that the site is in; nil if it is in none.
func (s *site) definition() *site {
	var found *site
	for at := s; at != nil; at = at.above {
		if at.keyword == "$defs" {
			found = at
		}
	}
	return found
}

// isShared tells whether the site is in the definitions of the document.
func (s *site) isShared() bool { return s.scope.root == nil }
