package schema

import (
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
		broken[given] = h.reading.checkHeld(s, given) || h.checkDefault(whole, s, f.fill(s, given), "the default breaks its own schema: ")
	}
	for _, property := range filledIn(h.reading.root) {
		value := f.complete(property)
		if f.endless {
			return
		}
		if given := property.given(); !property.has("default") && !broken[given] {
			broken[given] = h.reading.checkHeld(property, given) || h.checkDefault(whole, property, value, "the default that is filled in here does not fit: ")
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
