package schema

import (
	"regexp"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

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
