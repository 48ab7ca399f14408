package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// sensitiveMark is the keyword for values that people and agents are never shown. It is no part of what an approval is
// bound to: it changes what is shown of a value, and not what is done with it, and each change keeps the places of what
// was sensitive when it was previewed. To mark a value later must not take the undo of what was applied before.
const sensitiveMark = "x-sensitive"

// IsSensitive tells whether a value is never shown as what it is, and neither is any part of it.
func (u Use) IsSensitive() bool {
	seen := map[*Type]bool{}
	for !u.Sensitive && u.Type.Kind == Array && !u.Type.Mixed && !seen[u.Type] { // a list of which every item is
		seen[u.Type] = true
		u = u.Type.Elem
	}
	return u.Sensitive
}

// HoldsSensitive tells whether a value is sensitive, or may have a part that is.
func (u Use) HoldsSensitive() bool {
	return u.holds(map[*Type]bool{}, func(part Use) bool { return part.Sensitive })
}

// ListsSensitive tells whether a value is a list, or may have one in it, with items that are not sensitive but have a
// part that is.
func (u Use) ListsSensitive() bool {
	return u.holds(map[*Type]bool{}, func(part Use) bool {
		return part.Type.Kind == Array && !part.IsSensitive() && part.HoldsSensitive()
	})
}

// holds tells whether a condition is true of a value or of a part of it. What is in a sensitive value is not asked about,
// and neither is what is seen already.
func (u Use) holds(seen map[*Type]bool, is func(Use) bool) bool {
	if is(u) {
		return true
	}
	if u.Sensitive || seen[u.Type] {
		return false
	}
	seen[u.Type] = true
	return slices.ContainsFunc(u.Type.parts(), func(part Use) bool { return part.holds(seen, is) })
}

// parts are the types of the values that one of this type is made of.
func (t *Type) parts() []Use {
	var parts []Use
	if t.Elem.Type != nil {
		parts = append(parts, t.Elem)
	}
	if t.Others != nil {
		parts = append(parts, *t.Others)
	}
	for _, field := range t.Fields {
		parts = append(parts, field.Use)
	}
	for _, branch := range t.Branches {
		parts = append(parts, branch.Use)
	}
	return parts
}

// isMarked tells whether a schema marks its value as sensitive.
func (s *site) isMarked() bool {
	mark := s.node.Get(sensitiveMark)
	return mark.Is(document.Boolean) && mark.Text == "true"
}

// heard says how far a mark on a schema is kept: not at all yet, as that of its value, or as one within a value that is
// sensitive as a whole.
type heard int

const (
	unheard heard = iota
	asValue
	asPart
)

// isSensitive tells whether the value that the site is about is marked, by the site or by what is in its place.
func (r *reading) isSensitive(s *site) bool {
	return r.reader.marked && s.hearInPlace(map[*site]bool{})
}

func (s *site) hearInPlace(seen map[*site]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	s.memo.heard = max(s.memo.heard, asValue)
	found := s.isMarked()
	for _, part := range s.inPlace() {
		if !tests[part.keyword] && part.hearInPlace(seen) {
			found = true
		}
	}
	return found
}

// hasPlainItems tells whether an array takes items by their place that are not marked.
func (r *reading) hasPlainItems(s *site) bool {
	items, first := s.one("items", ""), s.all("prefixItems")
	if len(first) == 0 {
		return false
	}
	isPlain := func(item *site) bool { return !r.isSensitive(item) }
	return slices.ContainsFunc(first, isPlain) || !s.refuses("items") && (items == nil || isPlain(items))
}

// isSensitiveWithin tells whether anything in sites is marked, where no type says what is in them.
func (r *reading) isSensitiveWithin(sites ...*site) bool {
	if !r.reader.marked {
		return false
	}
	found, seen := false, map[*site]bool{}
	for _, s := range sites {
		s.reach(seen, func(inner *site) {
			inner.memo.heard = asPart
			found = found || inner.isMarked()
		})
	}
	return found
}

// reach calls visit for the site and for all that it leads to, by references too.
func (s *site) reach(seen map[*site]bool, visit func(*site)) {
	if seen[s] {
		return
	}
	seen[s] = true
	visit(s)
	for _, inner := range s.within {
		inner.reach(seen, visit)
	}
	if s.target != nil {
		s.target.reach(seen, visit)
	}
}

// unnamed are the schemas of the members of an object that it does not name. What only says more of one that it names is
// none of them, and neither is what a part says of all members, as some of them are named.
func (s *site) unnamed() []*site {
	sources, _ := s.members()
	seen := map[*site]bool{s: true}
	var visit func(*site)
	visit = func(of *site) {
		for _, part := range of.inPlace() {
			if seen[part] || tests[part.keyword] {
				continue
			}
			seen[part] = true
			for _, inner := range part.within {
				if inner.keyword == "properties" && s.one("properties", inner.name) == nil || inner.keyword == "patternProperties" && !inner.refines() {
					sources = append(sources, inner)
				}
			}
			visit(part)
		}
	}
	visit(s)
	return sources
}

// checkMarks reports marks on what is no value, and those that no type keeps. Types must be built.
func (r *reading) checkMarks() {
	if !r.reader.marked {
		return
	}
	fault := func(s *site, hint, message string) {
		r.reader.fault(s.node.Get(sensitiveMark).KeyFault(diag.BadSensitive, hint, "%s", message))
	}
	r.root.reach(map[*site]bool{}, func(s *site) {
		switch {
		case !s.isMarked():
		case s == r.root:
			fault(s, "mark the properties that are", "nothing would be left to show")
		case s.isTest():
			fault(s, "mark the schema that describes the value", "this schema only decides something")
		case s.memo.heard == unheard, s.memo.heard == asValue && s.refines():
			fault(s, "mark the schema that describes the value: in properties, in items, or in the definition that they refer to",
				"this schema only says more of a value that is described elsewhere")
		}
	})
}
