package schema

import (
	"math/big"
	"slices"

	"github.com/changesetgen/changesetgen/spec/document"
)

// shape is what a schema describes: the kind of its type, and the schema that the type is made of. That is the schema
// itself, or one that it passes on to: by $ref, by null beside it, or by standing alone in a composition.
type shape struct {
	kind     Kind
	core     *site
	nullable bool
	note     string // of Raw
	tag      string // of a Union
	branches []*site
}

// shape finds what the site describes.
func (s *site) shape() *shape {
	if s.memo.shape == nil {
		s.memo.shape = s.findShape()
	}
	return s.memo.shape
}

func (s *site) findShape() *shape {
	set := s.takes() & s.inherits()
	found := s.describe(set &^ null)
	if found.kind == Raw && s.faulty {
		return &shape{kind: Invalid, core: s}
	}
	found.nullable = set&null != nothing && found.kind != Raw && found.kind != Invalid
	return found
}

// inherits are the types that the schemas name of which the site is a part.
func (s *site) inherits() types {
	set := all
	for at := s; at.above != nil && at.isPart(); at = at.above {
		named, _ := at.above.named()
		set &= named
	}
	return set
}

// describe finds what the site describes if it takes values of a set of types, null aside.
func (s *site) describe(set types) *shape {
	raw := func(note string) *shape { return &shape{kind: Raw, core: s, note: note} }
	switch {
	case s.broken || s.has("$ref") && s.target == nil:
		return &shape{kind: Invalid, core: s}
	case s.node.Is(document.Boolean):
		return raw("a schema that is " + s.node.Text + " describes no type")
	case s.chosen() == "raw":
		return raw("")
	case set == object && s.has("properties"):
		return &shape{kind: Object, core: s}
	case s.listed() != nil:
		return s.describeListed(set)
	case set == array && (s.has("items") || s.has("prefixItems")):
		return &shape{kind: Array, core: s}
	}
	if found := s.passOn(set); found != nil {
		return found
	}
	if s.constants() != nil {
		return s.describeListed(set)
	}
	if set == object {
		return s.describeObject()
	}
	return s.describeOne(set)
}

// chosen is the Go type that the author chose; "" for none.
func (s *site) chosen() string {
	if chosen := s.node.Get(goType); chosen.Is(document.Text) {
		return chosen.Text
	}
	return ""
}

// passOn is the shape of the one schema that describes what the site takes, if there is one: the others then take
// nothing that it does not take. An object must not get members from them.
func (s *site) passOn(set types) *shape {
	to := s.passesTo()
	if to == nil {
		return nil
	}
	found := *to.shape()
	hasMembers := found.kind == Object || found.kind == Union
	if found.kind == Raw || hasMembers && s.evaluatesBeside(to) || set&^domains[found.kind] != nothing || found.kind == Integer && s.isWide() {
		return nil
	}
	return &found
}

// domains are the types of the values that a kind holds. A part may hold fewer than what refers to it by a reference.
var domains = map[Kind]types{
	Invalid: all, Object: object, Map: object, Union: object, Array: array, String: text, Boolean: boolean,
	Integer: integer, WideInteger: integer, Number: number, Float: number, Enum: text | integer,
}

// passesTo is the schema that describes what the site takes, null aside; nil if it is not only one.
func (s *site) passesTo() *site {
	if s.target != nil {
		return s.target
	}
	if parts := s.all("allOf"); len(parts) == 1 {
		return parts[0]
	}
	for _, choice := range []string{"anyOf", "oneOf"} {
		if branches := s.notNull(choice); len(branches) == 1 {
			return branches[0]
		}
	}
	return nil
}

// notNull are the branches of a choice but for null itself, which must say so by its type.
func (s *site) notNull(choice string) []*site {
	return slices.DeleteFunc(s.all(choice), func(branch *site) bool {
		set, ok := branch.named()
		return ok && set == null
	})
}

// describeListed finds what a site describes that lists its values.
func (s *site) describeListed(set types) *shape {
	found := &shape{core: s}
	switch {
	case set == text && s.chosen() != plainString:
		found.kind = Enum
	case set == text:
		found.kind = String
	case set == integer && !s.namesNumber() && s.fitsInteger() && s.chosen() != "number":
		found.kind = Enum
	case set == integer && !s.namesNumber():
		found.kind = WideInteger
	case set == boolean:
		found.kind = Boolean
	case set != nothing && set&^number == nothing && s.chosen() == "float64":
		found.kind = Float
	case set != nothing && set&^number == nothing:
		found.kind = Number
	default:
		found.kind, found.note = Raw, "its values are of different types, or are lists, maps or null"
	}
	return found
}

// namesNumber tells whether the type is number, so that integers are only what happens to be listed.
func (s *site) namesNumber() bool {
	set, ok := s.named()
	return ok && set&fraction != nothing
}

// fitsInteger tells whether all listed numbers fit 64 bits.
func (s *site) fitsInteger() bool {
	return !slices.ContainsFunc(s.constants(), func(value *document.Node) bool {
		exact := rational(value)
		return exact != nil && (exact.Cmp(minInteger) < 0 || exact.Cmp(maxInteger) > 0 || !fits(exact))
	})
}

func fits(exact *big.Rat) bool { return exact.IsInt() && exact.Num().IsInt64() }

// describeOne finds what values of one type are; those of several are raw.
func (s *site) describeOne(set types) *shape {
	found := &shape{core: s}
	switch {
	case set == text:
		found.kind = String
	case set == integer && (s.chosen() == "number" || s.isWide()):
		found.kind = WideInteger
	case set == integer:
		found.kind = Integer
	case set == number && s.chosen() == "float64":
		found.kind = Float
	case set == number || set == fraction:
		found.kind = Number
	case set == boolean:
		found.kind = Boolean
	case set == array:
		found.kind = Array
	case set == nothing:
		found.kind, found.note = Raw, "nothing but null is taken"
	case set == all&^null:
		found.kind, found.note = Raw, "it has no type"
	default:
		found.kind, found.note = Raw, "it takes "+set.String()
	}
	return found
}

// describeObject finds what an object without properties of its own is.
func (s *site) describeObject() *shape {
	if union := s.union(); union != nil {
		return union
	}
	if s.partsEvaluate(nil) {
		return &shape{kind: Raw, core: s, note: "its properties are in a composition of schemas that no property tells apart"}
	}
	if sources, free := s.members(); len(sources) == 0 && !free {
		return &shape{kind: Object, core: s}
	}
	return &shape{kind: Map, core: s}
}

// evaluatesBeside tells whether anything but one of its parts brings members to the site.
func (s *site) evaluatesBeside(but *site) bool {
	for _, keyword := range []string{"properties", "patternProperties", "additionalProperties", "unevaluatedProperties"} {
		if s.has(keyword) && !s.refuses(keyword) {
			return true
		}
	}
	return s.partsEvaluate(but)
}

// partsEvaluate tells whether a part of the site, but for one, brings members to it.
func (s *site) partsEvaluate(but *site) bool {
	return slices.ContainsFunc(s.inPlace(), func(part *site) bool { return part != but && part.evaluates() })
}

// evaluates tells whether the site says of members of an object what they are.
func (s *site) evaluates() bool {
	if s.memo.evaluates == nil {
		found := s.evaluatesBeside(nil)
		s.memo.evaluates = &found
	}
	return *s.memo.evaluates
}
