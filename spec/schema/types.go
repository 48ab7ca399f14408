package schema

import (
	"strings"

	"github.com/changesetgen/changesetgen/spec/document"
)

// types is a set of the types of JSON values. Integers and other numbers are apart, as schemas keep them.
type types uint8

const (
	null types = 1 << iota
	boolean
	object
	array
	text
	integer
	fraction // a number that is no integer

	number  = integer | fraction
	nothing = types(0)
	all     = null | boolean | object | array | text | number
)

// typesByName are the types of JSON Schema.
var typesByName = map[string]types{
	"null": null, "boolean": boolean, "object": object, "array": array, "string": text, "integer": integer, "number": number,
}

// nouns are what people call types, in the order they are listed in.
var nouns = []struct {
	of   types
	noun string
}{
	{text, "a string"}, {number, "a number"}, {integer, "an integer"}, {boolean, "a boolean"}, {array, "an array"}, {object, "an object"}, {null, "null"},
}

// String lists the types as people know them.
func (t types) String() string {
	var listed []string
	for _, n := range nouns {
		if t&n.of == n.of {
			listed = append(listed, n.noun)
			t &^= n.of
		}
	}
	return strings.Join(listed, " or ")
}

// typeOf is the type of a value.
func typeOf(value *document.Node) types {
	switch value.Kind {
	case document.Boolean:
		return boolean
	case document.Number:
		if exact := rational(value); exact != nil && exact.IsInt() {
			return integer
		}
		return fraction
	case document.Text:
		return text
	case document.List:
		return array
	case document.Map:
		return object
	default:
		return null
	}
}

// named are the types that a schema's own type names; ok is false if it has none, or one that does not exist.
func (s *site) named() (set types, ok bool) {
	named := s.node.Get("type")
	names := []*document.Node{named}
	switch {
	case named == nil:
		return all, false
	case named.Is(document.List):
		names = named.Children
	}
	for _, name := range names {
		t, known := typesByName[name.Text]
		if !known {
			return all, false
		}
		set |= t
	}
	return set, true
}

// takes are the types of values that the schema takes, as far as its keywords show: no value it takes is of another.
func (s *site) takes() types {
	if s.memo.takes == nil {
		set := s.findTypes()
		s.memo.takes = &set
	}
	return *s.memo.takes
}

func (s *site) findTypes() types {
	if s.node.Is(document.Boolean) {
		if s.node.Text == "false" {
			return nothing
		}
		return all
	}
	set, _ := s.named()
	if values := s.listed(); values != nil {
		listed := nothing
		for _, value := range values {
			listed |= typeOf(value)
		}
		set &= listed
	}
	if s.target != nil {
		set &= s.target.takes()
	}
	for _, part := range s.all("allOf") {
		set &= part.takes()
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if branches := s.all(choice); len(branches) > 0 {
			some := nothing
			for _, branch := range branches {
				some |= branch.takes()
			}
			set &= some
		}
	}
	return set
}

// constants are the values that the site lists: its own, or those of the branches of a choice that lists nothing else.
// They are nil where it lists none.
func (s *site) constants() []*document.Node {
	if own := s.listed(); own != nil {
		return own
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		var values []*document.Node
		branches := s.notNull(choice)
		for _, branch := range branches {
			listed := branch.listed()
			if listed == nil {
				branches = nil
			}
			values = append(values, listed...)
		}
		if len(branches) > 0 {
			return values
		}
	}
	return nil
}

// listed are the values that enum or const lists; nil if there is neither.
func (s *site) listed() []*document.Node {
	if value := s.node.Get("const"); value != nil {
		return []*document.Node{value}
	}
	if values := s.node.Get("enum"); values.Is(document.List) {
		return values.Children
	}
	return nil
}
