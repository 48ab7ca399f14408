package schema

import (
	"cmp"
	"maps"
	"regexp"
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// refines tells whether the site only says more about a member or an item that is described elsewhere, beside the part it
// is in or by its name: there it need not name all that the value has.
func (s *site) refines() bool { return len(s.elsewhere()) > 0 }

// elsewhere are the other schemas of the member or item that the site is about.
func (s *site) elsewhere() []*site {
	if s.memo.elsewhere == nil {
		found := []*site{}
		if s.above != nil && s.isValue() && s.keyword != "$defs" {
			found = append(found, s.toldElsewhere()...)
		}
		s.memo.elsewhere = found
	}
	return s.memo.elsewhere
}

// toldElsewhere finds what elsewhere is.
func (s *site) toldElsewhere() []*site {
	told := &telling{keyword: s.keyword, name: s.name, seen: map[*site]bool{}}
	told.around(s.above)
	if s.keyword == "patternProperties" {
		told.collectMatching(s.above, "properties") // of which the pattern says more
	}
	return told.found
}

// telling is a search for the schemas of a member or an item of a value.
type telling struct {
	keyword, name string
	found         []*site
	seen          map[*site]bool
}

// around adds those of all that describes a value together with a schema, but not its own.
func (t *telling) around(s *site) {
	t.seen[s] = true
	at := s
	for ; at.isPart() && at.above != nil; at = at.above {
		for _, other := range at.besides() {
			t.collect(other)
		}
		t.collectOwn(at.above)
	}
	for _, other := range at.elsewhere() {
		t.collect(other)
	}
}

// collect adds the schemas that a schema, or a part of it, has of the member.
func (t *telling) collect(s *site) {
	if t.seen[s] {
		return
	}
	t.seen[s] = true
	t.collectOwn(s)
	for _, part := range s.inPlace() {
		t.collect(part)
	}
}

func (t *telling) collectOwn(s *site) {
	if own := s.one(t.keyword, t.name); own != nil {
		t.found = append(t.found, own)
	}
	switch t.keyword {
	case "properties":
		t.collectMatching(s, "patternProperties")
	case "patternProperties":
		t.collectMatching(s, "properties")
	}
}

// collectMatching adds the properties of a schema that the name is a pattern of, or the patterns that it matches.
func (t *telling) collectMatching(s *site, keyword string) {
	for _, other := range s.all(keyword) {
		pattern, name := other.name, t.name
		if keyword == "properties" {
			pattern, name = name, pattern
		}
		if form, err := regexp.Compile(pattern); err == nil && form.MatchString(name) {
			t.found = append(t.found, other)
		}
	}
}

// besides are the other parts that may apply together with a part. Branches of one choice are apart from each other.
func (s *site) besides() []*site {
	return slices.DeleteFunc(s.above.inPlace(), func(other *site) bool {
		isChoice := s.keyword == "anyOf" || s.keyword == "oneOf"
		return other == s || isChoice && other.above == s.above && other.keyword == s.keyword
	})
}

// checkRefined reports what the site says of members that its object cannot have, because that is described elsewhere
// and closed there.
func (c *closing) checkRefined(s *site) {
	if s.isTest() {
		return
	}
	for _, described := range s.elsewhere() {
		c.checkBeyond(s, described)
	}
}

// checkComposed reports members that two schemas of an object name apart, each closed, where one of them is in what the
// site refers to and the other beside it.
func (c *closing) checkComposed(s *site) {
	if c.open || s.isTest() {
		return
	}
	for _, inner := range s.target.all("properties") {
		told := &telling{keyword: inner.keyword, name: inner.name, seen: map[*site]bool{s.target: true}}
		told.collect(s)
		told.around(s)
		for _, beside := range told.found {
			c.checkBeyond(inner, beside)
			c.checkBeyond(beside, inner)
		}
	}
}

// checkBeyond reports what the site says of members that an object does not have because it is closed where it is
// described.
func (c *closing) checkBeyond(s, described *site) {
	if !c.isClosed(described) {
		return
	}
	had := &members{names: map[string]bool{}, seen: map[*site]bool{}}
	had.addAll(described)
	named := &members{names: maps.Clone(had.names), patterns: had.patterns, open: had.open}
	s.eachNamed(map[*site]bool{}, func(property *document.Node) {
		named.names[property.Key] = true
		if !had.have(property.Key) {
			c.reader.fault(property.KeyFault(diag.ClosedPart, "name it there too, or write there what other properties it may have",
				"%s can never be given: the object is described on line %d, and closed there", diag.Quote(property.Key), cmp.Or(described.node.KeyPos.Line, described.node.Start().Line)))
		}
	})
	c.checkRequiredBy(s, named)
}

// checkShutOut reports an object that refuses what its own parts name: additionalProperties sees only what stands beside
// it.
func (c *closing) checkShutOut(s *site) {
	if !s.refuses("additionalProperties") || s.isTest() {
		return
	}
	own := &members{names: map[string]bool{}, seen: map[*site]bool{}}
	own.add(s)
	refused := map[string]bool{}
	s.eachNamed(map[*site]bool{}, func(property *document.Node) {
		if !own.have(property.Key) {
			refused[property.Key] = true
		}
	})
	if len(refused) > 0 {
		c.reader.fault(s.node.Get("additionalProperties").KeyFault(diag.ClosedPart, "write unevaluatedProperties: false, which takes what parts name",
			"it refuses %s, which parts of the object name", diag.QuoteAll(slices.Sorted(maps.Keys(refused)))))
	}
}

// eachNamed calls visit for the members that the site and its parts name, but for those that they refuse.
func (s *site) eachNamed(seen map[*site]bool, visit func(property *document.Node)) {
	if seen[s] {
		return
	}
	seen[s] = true
	for _, property := range s.all("properties") {
		if !property.node.Is(document.Boolean) || property.node.Text != "false" {
			visit(property.node)
		}
	}
	for _, part := range s.inPlace() {
		if !tests[part.keyword] {
			part.eachNamed(seen, visit)
		}
	}
}
