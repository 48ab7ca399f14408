package schema

import (
	"regexp"
	"slices"

	"github.com/changesetgen/changesetgen/spec/conform"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// hasDefault tells whether a default is filled in for a property.
func (s *site) hasDefault() bool { return s.given() != nil }

// given is the default that is filled in for a property: its own, or that of a schema that always says more about it. The
// runtime looks in the same places, in the same order.
func (s *site) given() *document.Node {
	certain := []*site{s}
	for i := 0; i < len(certain); i++ {
		if given := certain[i].node.Get("default"); given != nil {
			return given
		}
		for _, part := range certain[i].always() {
			if !slices.Contains(certain, part) {
				certain = append(certain, part)
			}
		}
	}
	return nil
}

// always are the schemas that say more about every value of the site.
func (s *site) always() []*site {
	parts := s.all("allOf")
	if s.target != nil {
		parts = append([]*site{s.target}, parts...)
	}
	return parts
}

// fillers are the schemas by which members and items of a value of the site are filled in, beside itself: where it is
// certain that they apply, unless the value is null.
func (s *site) fillers() []*site {
	parts := s.always()
	for _, choice := range []string{"anyOf", "oneOf"} {
		if branches := s.notNull(choice); len(branches) == 1 {
			parts = append(parts, branches[0])
		}
	}
	return parts
}

// filling fills defaults into defaults, as the runtime does when it fills them in.
type filling struct {
	reader  *Reader
	filled  map[*site]*document.Node // defaults of properties, filled in; nil while that is being done
	endless bool                     // a default holds itself, which is reported, so that no more is filled in
}

// complete is the default of a property with all that is filled in within it.
func (f *filling) complete(property *site) *document.Node {
	given := property.given()
	if done, known := f.filled[property]; known {
		if done == nil && !f.endless {
			f.endless = true
			f.reader.fault(given.KeyFault(diag.BadDefault, "leave it out", "the default holds itself without end"))
		}
		if done == nil {
			return given
		}
		return done
	}
	f.filled[property] = nil
	f.filled[property] = f.fill(property, given)
	return f.filled[property]
}

// fill is a value of a site with its defaults; the value itself where there are none to add.
func (f *filling) fill(s *site, value *document.Node) *document.Node {
	if f.endless {
		return value
	}
	switch value.Kind {
	case document.Map:
		value = f.fillMembers(s, value)
	case document.List:
		value = f.fillList(s, value)
	}
	for _, part := range s.fillers() {
		value = f.fill(part, value)
	}
	return value
}

func (f *filling) fillMembers(s *site, object *document.Node) *document.Node {
	members, changed := make([]*document.Node, 0, len(object.Children)), false
	for _, member := range object.Children {
		filled := member
		for _, by := range s.ofMember(member.Key) {
			filled = f.fill(by, filled)
		}
		members, changed = append(members, filled), changed || filled != member
	}
	for _, property := range s.all("properties") {
		if object.Get(property.name) == nil && property.hasDefault() {
			added := like(f.complete(property), object)
			added.Key, added.KeyPos = property.name, object.Pos
			members, changed = append(members, added), true
		}
	}
	return replaced(object, members, changed)
}

func (f *filling) fillList(s *site, list *document.Node) *document.Node {
	items, changed := make([]*document.Node, 0, len(list.Children)), false
	first, rest := s.all("prefixItems"), s.one("items", "")
	for i, item := range list.Children {
		filled := item
		switch {
		case i < len(first):
			filled = f.fill(first[i], item)
		case rest != nil:
			filled = f.fill(rest, item)
		}
		items, changed = append(items, filled), changed || filled != item
	}
	return replaced(list, items, changed)
}

// replaced is a value that holds other children where some of them changed.
func replaced(value *document.Node, children []*document.Node, changed bool) *document.Node {
	if !changed {
		return value
	}
	copied := like(value, value)
	copied.Children = children
	return copied
}

// like is a copy of a value at the place of another.
func like(value, place *document.Node) *document.Node {
	return &document.Node{Kind: value.Kind, Text: value.Text, Children: value.Children, Key: value.Key, KeyPos: place.KeyPos, Pos: place.Pos}
}

// ofMember are the schemas of a member of an object.
func (s *site) ofMember(name string) []*site {
	var found []*site
	if property := s.one("properties", name); property != nil {
		found = append(found, property)
	}
	for _, pattern := range s.all("patternProperties") {
		if form, err := regexp.Compile(pattern.name); err == nil && form.MatchString(name) {
			found = append(found, pattern)
		}
	}
	if others := s.one("additionalProperties", ""); others != nil && len(found) == 0 {
		found = append(found, others)
	}
	return found
}

// address is that of a schema while its defaults are checked. No message shows it.
const address = "https://changesetgen.invalid/schema"

// checkDefaults reports defaults that do not fit where they stand or where they are filled in. A schema without any is
// not compiled: the reader has been through all of it, and compiling takes longer than that.
func (h *handingOut) checkDefaults(handed *document.Node) {
	if len(h.defaults) == 0 {
		return
	}
	whole, err := conform.Compile(address, handed.AppendJSON(nil), nil)
	if err != nil {
		h.reading.suspect(err)
		return
	}
	if h.reading.options.Formats {
		whole.AssertFormats()
	}
	f := &filling{reader: h.reading.reader, filled: map[*site]*document.Node{}}
	broken := map[*document.Node]bool{}
	for _, s := range h.defaults {
		given := s.node.Get("default")
		broken[given] = h.checkDefault(whole, s, f.fill(s, given), "the default breaks its own schema: ")
	}
	for _, property := range filledIn(h.reading.root) {
		value := f.complete(property)
		if f.endless {
			return
		}
		if !property.has("default") && !broken[property.given()] {
			h.checkDefault(whole, property, value, "the default that is filled in here does not fit: ")
		}
	}
}

// checkDefault reports a default that a site does not take, and tells whether it did. What is filled into it has no place
// of its own.
func (h *handingOut) checkDefault(whole *conform.Schema, s *site, value *document.Node, saying string) bool {
	part, err := whole.Part(s.pointer())
	if err != nil {
		h.reading.suspect(err)
		return false
	}
	faults := part.Check(value)
	for _, broken := range faults {
		broken.Message, broken.Code = saying+broken.Message, diag.BadDefault
		switch own := s.node.Get("default"); {
		case own == nil:
			broken.Pos, broken.Where = s.node.Start(), s.node.Where()
		case broken.Where == "":
			broken.Where = own.Where()
		}
		h.reading.reader.fault(broken)
	}
	return len(faults) > 0
}

// filledIn are the properties whose defaults are filled into values of a root.
func filledIn(root *site) []*site {
	var found []*site
	seen := map[*site]bool{}
	var visit func(*site)
	visit = func(s *site) {
		if seen[s] {
			return
		}
		seen[s] = true
		for _, inner := range s.within {
			switch inner.keyword {
			case "properties":
				if inner.hasDefault() {
					found = append(found, inner)
				}
				visit(inner)
			case "patternProperties", "additionalProperties", "prefixItems", "items":
				visit(inner)
			}
		}
		for _, part := range s.fillers() {
			visit(part)
		}
	}
	visit(root)
	return found
}
