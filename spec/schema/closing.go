package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// closing says which objects of a root are closed against members that they do not name, and where. An object is closed
// where its value stands, at the top of what composes it: a part of a composition does not know the members that other
// parts name. A definition is closed in itself, unless it is such a part somewhere; then it is closed at each place that
// refers to it.
type closing struct {
	reader   *Reader
	open     bool             // nothing is closed
	reported []*document.Node // names of properties that are said to be wrong
	parts    map[*site]bool
	seen     map[*site]bool
}

// closeObjects finds where the objects in top and in what it leads to are closed, and reports those that need what they
// then cannot have. The names in reported are said to be wrong already.
func (r *Reader) closeObjects(top *site, open bool, reported ...*document.Node) *closing {
	c := &closing{reader: r, open: open, reported: reported, parts: map[*site]bool{}, seen: map[*site]bool{}}
	c.visit(top)
	for s := range c.seen {
		c.checkMembers(s)
		c.checkRefined(s)
		c.checkShutOut(s)
		r.checked[s] = true
	}
	return c
}

// visit finds what is a part of something, in all that a site leads to.
func (c *closing) visit(s *site) {
	if c.seen[s] {
		return
	}
	c.seen[s] = true
	for _, inner := range s.within {
		c.visit(inner)
	}
	if s.target == nil {
		return
	}
	if !s.isPlain() {
		c.compose(s.target, s)
		c.checkComposed(s)
	}
	c.visit(s.target)
}

// compose notes that a site is a part of another.
func (c *closing) compose(s, by *site) {
	if c.parts[s] {
		return
	}
	c.parts[s] = true
	if s.target != nil {
		c.compose(s.target, by)
	}
	if !c.open && s.keyword != "$defs" && s.isValue() && !s.isTest() && s.namesOpenly() {
		ref := by.node.Get("$ref")
		c.reader.fault(ref.Fault(diag.ClosedPart, "move it into $defs, or write there what other properties it may have",
			"%s is closed where it stands, so that it cannot be a part of something here", diag.Quote(ref.Text)))
	}
}

// closes tells whether the site itself is where an object is closed, and not what it refers to.
func (c *closing) closes(s *site) bool {
	return c.isClosed(s) && (s.target == nil || !s.isPlain() || !c.isClosed(s.target))
}

// isClosed tells whether an object is closed where the site stands.
func (c *closing) isClosed(s *site) bool {
	return !c.open && !c.parts[s] && s.isValue() && !s.isTest() && s.namesOpenly() && !s.refines()
}

// isValue tells whether a value stands where the site does, and not a part of one.
func (s *site) isValue() bool { return !s.isPart() && !tests[s.keyword] }

// isPlain tells whether the site is a reference that a value stands for, and that brings no members of its own.
func (s *site) isPlain() bool { return s.isValue() && !s.isTest() && !s.evaluatesBeside(s.target) }

// naming are the keywords whose parts name members of an object, beside $ref. What only decides something does not.
var namingParts = []string{"allOf", "anyOf", "oneOf", "then", "else"}

// namesOpenly tells whether the site names members of an object and says nothing of others.
func (s *site) namesOpenly() bool {
	if s.memo.names == nil {
		found := s.findNames()
		s.memo.names = &found
	}
	return *s.memo.names
}

func (s *site) findNames() bool {
	switch {
	case s.has("additionalProperties") || s.has("unevaluatedProperties"):
		return false
	case s.has("properties") || s.target != nil && s.target.namesOpenly():
		return true
	default:
		return slices.ContainsFunc(s.within, func(part *site) bool {
			return slices.Contains(namingParts, part.keyword) && part.namesOpenly()
		})
	}
}

// sees tells whether a keyword stands anywhere in what is handed out.
func (c *closing) sees(keyword string) bool {
	for s := range c.seen {
		if s.has(keyword) {
			return true
		}
	}
	return false
}
