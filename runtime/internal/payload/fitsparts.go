package payload

import "iter"

// fitsObject is about the properties of an object.
func (r *run) fitsObject(u *rule, v *value, s *seen) bool {
	if u.members.tooFew(len(v.parts)) || u.members.tooMany(len(v.parts)) || !r.hasRequired(u, v) {
		return false
	}
	if !r.fitsMembers(u, v, s) {
		return false
	}
	if u.propertyNames != nil {
		for i := range v.parts {
			if !r.fits(u.propertyNames, v.parts[i].named()) {
				return false
			}
		}
	}
	if u.unevaluated == nil {
		return true
	}
	for i := range v.parts {
		if !s.has(i) && !r.fits(u.unevaluated, &v.parts[i]) {
			return false
		}
	}
	*s = seen{all: true}
	return true
}

func (r *run) hasRequired(u *rule, v *value) bool {
	if !r.spend(len(u.required), v) {
		return false
	}
	for _, name := range u.required {
		if v.member(name) == nil {
			return false
		}
	}
	for _, d := range u.dependentRequired {
		if v.member(d.given) == nil {
			continue
		}
		if !r.spend(len(d.required), v) {
			return false
		}
		for _, name := range d.required {
			if v.member(name) == nil {
				return false
			}
		}
	}
	return true
}

// fitsMembers looks at values without parts first: what tells the branches of a union apart is one of them, and
// whatever else the value holds need not be read then.
func (r *run) fitsMembers(u *rule, v *value, s *seen) bool {
	if u.properties == nil && u.patterns == nil && u.additional == nil {
		return true
	}
	if !r.spend(len(v.parts)/stepMembers, v) {
		return false
	}
	for _, later := range []bool{false, true} {
		for i := range v.parts {
			part := &v.parts[i]
			if (part.parts != nil) == later && !r.fitsMember(u, part, i, s) {
				return false
			}
		}
	}
	return true
}

// stepMembers is how many properties are looked up in about the time of a step.
const stepMembers = 4

func (r *run) fitsMember(u *rule, member *value, i int, s *seen) bool {
	spoken := false
	for next := range r.about(u, member) {
		spoken = true
		if !r.fits(next.rule, member) {
			return false
		}
	}
	if spoken && u.tracks {
		s.mark(i, len(member.parent.parts))
	}
	return true
}

// about goes through the rules of u about one property.
func (r *run) about(u *rule, member *value) iter.Seq[part] {
	return func(yield func(part) bool) {
		next, spoken := u.properties[member.name]
		if spoken && !yield(part{"properties", next}) {
			return
		}
		for _, p := range u.patterns {
			if !r.matches(p.pattern, member, member.name) {
				continue
			}
			spoken = true
			if !yield(part{"patternProperties", p.rule}) {
				return
			}
		}
		if !spoken && u.additional != nil {
			yield(part{"additionalProperties", u.additional})
		}
	}
}

// fitsArray is about the items of an array.
func (r *run) fitsArray(u *rule, v *value, s *seen) bool {
	if u.items.tooFew(len(v.parts)) || u.items.tooMany(len(v.parts)) {
		return false
	}
	for i := range v.parts {
		next, _ := u.item(i)
		if next == nil {
			break
		}
		if !r.fits(next, &v.parts[i]) {
			return false
		}
		if u.tracks {
			s.mark(i, len(v.parts))
		}
	}
	if u.unique {
		if _, _, equal := r.equalItems(v); equal {
			return false
		}
	}
	if u.contains != nil && !r.fitsContains(u, v, s) {
		return false
	}
	if u.unevaluatedItems == nil {
		return true
	}
	for i := range v.parts {
		if !s.has(i) && !r.fits(u.unevaluatedItems, &v.parts[i]) {
			return false
		}
	}
	*s = seen{all: true}
	return true
}

// item is the rule of u about an item, and the keyword that has it; nil for none.
func (u *rule) item(i int) (*rule, string) {
	if i < len(u.prefix) {
		return u.prefix[i], "prefixItems"
	}
	return u.others, "items"
}

func (r *run) fitsContains(u *rule, v *value, s *seen) bool {
	n := 0
	for i := range v.parts {
		if !r.fits(u.contains, &v.parts[i]) {
			continue
		}
		n++
		if u.tracks {
			s.mark(i, len(v.parts))
		}
	}
	return !u.contained.tooFew(n) && !u.contained.tooMany(n)
}

// equalItems finds the first two items that are equal.
func (r *run) equalItems(v *value) (first, second int, equal bool) {
	if len(v.parts) < 2 || !r.spend(v.size(), v) {
		return 0, 0, false
	}
	places := make(map[string]int, len(v.parts))
	for i := range v.parts {
		key := identity(v.parts[i].raw)
		if first, ok := places[key]; ok {
			return first, i, true
		}
		places[key] = i
	}
	return 0, 0, false
}
