package schema

import (
	"cmp"
	"maps"
	"math/big"
	"regexp"
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkMembers reports an object that needs what it cannot have.
func (c *closing) checkMembers(s *site) {
	if s.broken || !s.needsMembers() {
		return
	}
	named := &members{names: map[string]bool{}, seen: map[*site]bool{}}
	switch {
	case s.refuses("additionalProperties"):
		named.add(s)
		c.checkRequired(s, named)
	case c.isClosed(s), s.refuses("unevaluatedProperties"):
		named.addAll(s)
		c.checkRequiredBy(s, named)
	default:
		named.open = true
	}
	c.checkRoom(s, named)
}

// needsMembers tells whether the site, or a part of it, may say how many members an object has, or which.
func (s *site) needsMembers() bool {
	return s.has("required") || s.has("dependentRequired") || s.has("minProperties") || s.has("maxProperties") || slices.ContainsFunc(s.within, (*site).isPart)
}

// members are those that an object can have.
type members struct {
	names    map[string]bool
	patterns []*regexp.Regexp
	open     bool // there may be others
	seen     map[*site]bool
}

// add adds those that a schema names itself.
func (m *members) add(s *site) {
	for _, property := range s.all("properties") {
		m.names[property.name] = true
	}
	for _, pattern := range s.all("patternProperties") {
		if form, err := regexp.Compile(pattern.name); err == nil {
			m.patterns = append(m.patterns, form)
		}
	}
}

// addAll adds those that a schema and its parts name.
func (m *members) addAll(s *site) {
	if m.seen[s] {
		return
	}
	m.seen[s] = true
	m.open = m.open || s.broken || s.has("$ref") && s.target == nil
	m.add(s)
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		if s.has(keyword) && !s.refuses(keyword) {
			m.open = true
		}
	}
	for _, part := range s.inPlace() {
		m.addAll(part)
	}
}

func (m *members) have(name string) bool {
	return m.open || m.names[name] || slices.ContainsFunc(m.patterns, func(form *regexp.Regexp) bool { return form.MatchString(name) })
}

// suggest is what to do about a name that is no property.
func (m *members) suggest(name string) string {
	return cmp.Or(diag.DidYouMean(name, slices.Sorted(maps.Keys(m.names))), "add it to properties, or take it out")
}

// checkRequiredBy reports what a schema and its parts require of an object that cannot have it.
func (c *closing) checkRequiredBy(s *site, named *members) {
	c.checkRequired(s, named)
	for _, part := range s.within {
		if part.isPart() && !tests[part.keyword] {
			c.checkRequiredBy(part, named)
		}
	}
}

func (c *closing) checkRequired(s *site, named *members) {
	c.checkNamed(s.node.Get("required"), named)
	dependent := s.node.Get("dependentRequired")
	if !dependent.Is(document.Map) {
		return
	}
	for _, others := range dependent.Children {
		if !named.have(others.Key) && !slices.Contains(c.reported, others) {
			c.reader.fault(others.KeyFault(diag.RequiredUnknown, named.suggest(others.Key), "%s is no property, so nothing depends on it", diag.Quote(others.Key)))
			continue
		}
		c.checkNamed(others, named)
	}
}

// checkNamed reports those of a list of required names that are no properties.
func (c *closing) checkNamed(required *document.Node, named *members) {
	if !required.Is(document.List) {
		return
	}
	for _, name := range required.Children {
		if name.Is(document.Text) && !named.have(name.Text) && !slices.Contains(c.reported, name) {
			c.reader.fault(name.Fault(diag.RequiredUnknown, named.suggest(name.Text), "required %s is no property", diag.Quote(name.Text)))
		}
	}
}

// checkRoom reports an object that needs more properties than it may have, or than it can have.
func (c *closing) checkRoom(s *site, named *members) {
	least, greatest := rational(s.node.Get("minProperties")), rational(s.node.Get("maxProperties"))
	can := int64(len(named.names))
	if least != nil && !named.open && len(named.patterns) == 0 && least.Cmp(big.NewRat(can, 1)) > 0 {
		c.reader.fault(s.node.Get("minProperties").Fault(diag.ContradictoryBound, "write no more, or name more properties", "the object has no more than %d", can))
	}
	if needed := s.needed(); greatest != nil && greatest.Cmp(big.NewRat(needed, 1)) < 0 {
		c.reader.fault(s.node.Get("maxProperties").Fault(diag.ContradictoryBound, "write no less, or require less", "%d are required or have a default", needed))
	}
}

// needed is how many properties an object always has.
func (s *site) needed() int64 {
	names := map[string]bool{}
	if required := s.node.Get("required"); required.Is(document.List) {
		for _, name := range required.Children {
			names[name.Text] = true
		}
	}
	for _, property := range s.all("properties") {
		if property.hasDefault() {
			names[property.name] = true
		}
	}
	return int64(len(names))
}
