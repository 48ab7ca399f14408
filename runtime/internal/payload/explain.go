package payload

import "encoding/json"

// flaw is one keyword of a rule that a value does not fit.
type flaw struct {
	rule    *rule
	keyword string
	value   *value
	member  string // name of a property of the value, for keywords that ask for one
	given   string // the property that asks for it, for dependentRequired
	union   *union // for anyOf and oneOf
	// counted is how many there are, for keywords that begin with min and max; the items that are equal; or of a union
	// the branches that fit, or the one that is nearest.
	counted []int
	other   wanted // for several keywords type, of the branches of a union
}

// report is everything that is wrong with a value by one rule. It is a tree, so that a part that several unions ask for
// is kept once.
type report struct {
	flaws  []flaw
	around []*report // of rules in place
	parts  []*report // of rules about parts of the value
	distance
	// other is what was asked for where the value is of another kind; nothing where that is not what is wrong.
	other wanted
}

// distance is how far a value is from fitting: how many flaws are about the value itself, about its parts, and about
// what they hold. What lies deeper counts less, because so much around it fits.
type distance [3]int

func (d distance) total() int { return d[0] + d[1] + d[2] }

// weight is of a flaw at each depth, so that eight below are as bad as one above.
const weight = 8

func (d distance) cost() int { return (d[0]*weight+d[1])*weight + d[2] }

// maxFlaws is how many flaws are looked for. Whoever wants to know of more has to correct these first.
const maxFlaws = 10_000

// explainer says what is wrong with a value that does not fit. Its steps are its own, beside those of the verdict.
type explainer struct {
	*run
	found   int
	reports map[question]*report
}

func (e *explainer) enough() bool { return e.found >= maxFlaws || e.over != nil }

// add takes a flaw about the value of the report.
func (e *explainer) add(r *report, f flaw) {
	e.found++
	r.flaws = append(r.flaws, f)
	r.distance[0]++
}

// beside takes what a rule in place says.
func (r *report) beside(other *report) {
	r.around = append(r.around, other)
	for i, n := range other.distance {
		r.distance[i] += n
	}
	if !other.other.nothing() {
		r.other = other.other
	}
}

// below takes what a rule says of a part of the value.
func (r *report) below(part *report) {
	r.parts = append(r.parts, part)
	r.distance[1] += part.distance[0]
	r.distance[2] += part.distance[1] + part.distance[2]
}

// explain is for a value that does not fit u.
func (e *explainer) explain(u *rule, v *value) *report {
	if e.enough() {
		return &report{}
	}
	if !u.shared || v.isName() {
		return e.look(u, v)
	}
	q := question{u.id, v.id}
	if r, ok := e.reports[q]; ok {
		return r
	}
	r := e.look(u, v)
	e.reports[q] = r
	return r
}

func (e *explainer) look(u *rule, v *value) *report {
	r := &report{}
	switch {
	case u.constant != nil:
		e.add(r, flaw{rule: u, value: v})
		return r
	case u.kinds&v.kind == 0:
		r.other = u.wants()
		e.add(r, flaw{rule: u, keyword: "type", value: v})
		return r // what else is asked for makes sense only for that kind
	}
	e.itself(r, u, v)
	e.beside(r, u, v)
	switch v.kind {
	case kindObject:
		e.object(r, u, v)
	case kindArray:
		e.array(r, u, v)
	}
	return r
}

func (e *explainer) itself(r *report, u *rule, v *value) {
	for _, a := range u.allows {
		if !e.allowed(a, v) {
			e.add(r, flaw{rule: u, keyword: a.keyword, value: v})
			r.listOther(u.choice(), v)
		}
	}
	switch raw := v.raw.(type) {
	case string:
		e.count(r, u, v, u.length, e.characters(v, raw), "Length")
		if u.pattern != nil && !e.matches(*u.pattern, v, raw) {
			e.add(r, flaw{rule: u, keyword: "pattern", value: v})
		}
		if u.format != nil && !e.hasFormat(u.format, v, raw) {
			e.add(r, flaw{rule: u, keyword: "format", value: v})
		}
	case json.Number:
		for _, b := range u.bounds {
			if !e.within(b, v, raw) {
				e.add(r, flaw{rule: u, keyword: b.keyword, value: v})
			}
		}
	}
}

// count is about keywords that begin with min and max.
func (e *explainer) count(r *report, u *rule, v *value, allowed span, n int, thing string) {
	if allowed.tooFew(n) {
		e.add(r, flaw{rule: u, keyword: "min" + thing, value: v, counted: []int{n}})
	}
	if allowed.tooMany(n) {
		e.add(r, flaw{rule: u, keyword: "max" + thing, value: v, counted: []int{n}})
	}
}

// beside is about the rules in place of u.
func (e *explainer) beside(r *report, u *rule, v *value) {
	for _, part := range u.always {
		e.must(r, part.rule, v)
	}
	for _, d := range u.dependent {
		if v.member(d.given) != nil {
			e.must(r, d.rule, v)
		}
	}
	for _, choice := range u.unions {
		e.choice(r, u, choice, v)
	}
	if u.not != nil && e.fits(u.not, v) {
		e.add(r, flaw{rule: u, keyword: "not", value: v})
	}
	if next := e.chosen(u, v, &seen{}); next != nil {
		e.must(r, next, v)
	}
}

// must reports what is wrong by a rule in place that has to hold.
func (e *explainer) must(r *report, u *rule, v *value) {
	if !e.fits(u, v) {
		r.beside(e.explain(u, v))
	}
}

// part reports what is wrong with a part of a value by a rule that another has under a keyword.
func (e *explainer) part(r *report, owner *rule, keyword string, u *rule, v *value) {
	switch {
	case e.enough() || e.fits(u, v):
	case u.constant == nil:
		r.below(e.explain(u, v))
	case keyword == "additionalProperties" || keyword == "unevaluatedProperties":
		e.add(r, flaw{rule: owner, keyword: keyword, value: v.parent, member: v.name})
	default:
		forbidden := &report{}
		e.add(forbidden, flaw{rule: owner, keyword: keyword, value: v, member: v.name})
		r.below(forbidden)
	}
}
