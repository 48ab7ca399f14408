package payload

import "slices"

// object is about the properties of an object.
func (e *explainer) object(r *report, u *rule, v *value) {
	e.count(r, u, v, u.members, len(v.parts), "Properties")
	for _, name := range u.required {
		if v.member(name) == nil {
			e.add(r, flaw{rule: u, keyword: "required", value: v, member: name})
		}
	}
	for _, d := range u.dependentRequired {
		for _, name := range d.required {
			if v.member(d.given) != nil && v.member(name) == nil {
				e.add(r, flaw{rule: u, keyword: "dependentRequired", value: v, member: name, given: d.given})
			}
		}
	}
	for i := range v.parts {
		if e.enough() {
			return
		}
		member := &v.parts[i]
		for next := range e.about(u, member) {
			e.part(r, u, next.keyword, next.rule, member)
		}
		if name := member.named(); u.propertyNames != nil && !e.fits(u.propertyNames, name) {
			r.below(e.explain(u.propertyNames, name))
		}
	}
	if u.unevaluated != nil {
		e.unevaluated(r, u, v)
	}
}

// unevaluated is about the properties that no part of a schema speaks of. Where a part does not fit, what it would have
// spoken of is not known; a property that the schema knows is then no matter of its own.
func (e *explainer) unevaluated(r *report, u *rule, v *value) {
	spoken, certain := e.spoken(u, v), r.total() == 0
	for i := range v.parts {
		member := &v.parts[i]
		_, known := slices.BinarySearch(u.known, member.name)
		if !spoken.has(i) && (certain || !known && !u.knowsMore) {
			e.part(r, u, "unevaluatedProperties", u.unevaluated, member)
		}
	}
}

// spoken is which parts of the value are spoken of by u itself, and by what fits in place of it.
func (e *explainer) spoken(u *rule, v *value) seen {
	var s seen
	for _, next := range e.asked(u, v, &s) {
		e.holds(next, v, u, &s)
	}
	for i := range v.parts {
		if e.speaks(u, v, i) {
			s.mark(i, len(v.parts))
		}
	}
	return s
}

// asked lists the rules in place of u that are about a value, but for the condition, of which s is told.
func (e *explainer) asked(u *rule, v *value, s *seen) []*rule {
	var rules []*rule
	for _, part := range u.always {
		rules = append(rules, part.rule)
	}
	for _, d := range u.dependent {
		if v.member(d.given) != nil {
			rules = append(rules, d.rule)
		}
	}
	for _, choice := range u.unions {
		rules = append(rules, choice.branches...)
	}
	if next := e.chosen(u, v, s); next != nil {
		rules = append(rules, next)
	}
	return rules
}

func (e *explainer) speaks(u *rule, v *value, i int) bool {
	if v.kind == kindObject {
		for range e.about(u, &v.parts[i]) {
			return true
		}
		return false
	}
	next, _ := u.item(i)
	return next != nil || u.contains != nil && e.fits(u.contains, &v.parts[i])
}

// array is about the items of an array.
func (e *explainer) array(r *report, u *rule, v *value) {
	e.count(r, u, v, u.items, len(v.parts), "Items")
	for i := range v.parts {
		if next, keyword := u.item(i); next != nil {
			e.part(r, u, keyword, next, &v.parts[i])
		}
	}
	if u.unique {
		if first, second, equal := e.equalItems(v); equal {
			e.add(r, flaw{rule: u, keyword: "uniqueItems", value: v, counted: []int{first, second}})
		}
	}
	if u.contains != nil {
		e.contained(r, u, v)
	}
	if u.unevaluatedItems == nil || r.total() > 0 {
		return // as for properties: what was not spoken of may be so only because something else is wrong
	}
	spoken := e.spoken(u, v)
	for i := range v.parts {
		if !spoken.has(i) {
			e.part(r, u, "unevaluatedItems", u.unevaluatedItems, &v.parts[i])
		}
	}
}

func (e *explainer) contained(r *report, u *rule, v *value) {
	n := 0
	for i := range v.parts {
		if e.fits(u.contains, &v.parts[i]) {
			n++
		}
	}
	e.count(r, u, v, u.contained, n, "Contains")
}
