package payload

import (
	"maps"
	"slices"
)

// choice reports what is wrong by a union: of the branch that was meant, if that can be told, and else of the union.
func (e *explainer) choice(r *report, u *rule, choice union, v *value) {
	var fitting []int
	for i, branch := range choice.branches {
		if e.fits(branch, v) {
			fitting = append(fitting, i)
		}
	}
	switch {
	case len(fitting) > 1 && choice.exclusive():
		e.add(r, flaw{rule: u, keyword: choice.keyword, value: v, union: &choice, counted: fitting})
	case len(fitting) == 0 && choice.values != nil:
		e.add(r, flaw{rule: u, keyword: keywordTag, value: v, union: &choice})
		r.listOther(choice.values, v)
	case len(fitting) == 0 && choice.tag != nil && v.kind == kindObject:
		e.tagged(r, u, choice, v)
	case len(fitting) == 0:
		e.nearest(r, u, choice, v)
	}
}

// tagged is about a union whose branches a property tells apart.
func (e *explainer) tagged(r *report, u *rule, choice union, v *value) {
	given := v.member(choice.tag.name)
	switch {
	case given == nil && choice.tag.required:
		e.add(r, flaw{rule: u, keyword: keywordTag, value: v, member: choice.tag.name, union: &choice})
		return
	case given == nil:
		e.nearest(r, u, choice, v)
		return
	}
	if i, ok := choice.tag.branches[identity(given.raw)]; ok {
		r.beside(e.explain(choice.branches[i], v))
		return
	}
	wrong := &report{}
	e.add(wrong, flaw{rule: u, keyword: keywordTag, value: given, union: &choice})
	r.below(wrong)
}

// nearest is about a union without a tag.
func (e *explainer) nearest(r *report, u *rule, choice union, v *value) {
	var reports []*report
	var places []int
	var other wanted
	for i, branch := range choice.branches {
		one := e.explain(branch, v)
		if other = other.and(one.other); one.other.nothing() {
			reports, places = append(reports, one), append(places, i)
		}
	}
	if len(reports) == 0 {
		r.other = other
		e.add(r, flaw{rule: u, keyword: "type", value: v, other: other})
		return
	}
	best, clear := cheapest(reports)
	if len(reports) == 1 || clear && onlyWithin(reports, best) {
		r.beside(reports[best])
		return
	}
	f := flaw{rule: u, keyword: choice.keyword, value: v, union: &choice}
	if clear {
		f.counted = []int{places[best]}
		r.around = append(r.around, reports[best])
	}
	e.add(r, f)
}

// cheapest is the report of what is least wrong, and whether there is only one.
func cheapest(reports []*report) (best int, clear bool) {
	clear = true
	for i, one := range reports[1:] {
		switch least := reports[best].cost(); {
		case one.cost() < least:
			best, clear = i+1, true
		case one.cost() == least:
			clear = false
		}
	}
	return best, clear
}

// onlyWithin says whether one report finds fault only with what the value holds, and all others with the value itself:
// then that one was meant.
func onlyWithin(reports []*report, one int) bool {
	for i, other := range reports {
		if isWithin := other.distance[0] == 0; isWithin != (i == one) {
			return false
		}
	}
	return true
}

// keywordTag stands for the keyword of a flaw that is about the tag of a union, or about a union that is a list of values.
const keywordTag = "tag"

// tag is a property that tells the branches of a union apart: each takes other values of it than all others.
type tag struct {
	name     string
	values   []any          // in the order of the branches
	branches map[string]int // by the identity of a value
	required bool           // every branch asks for it
}

// newTag finds the first property by name that is a tag. Branches for other kinds of values than objects need none.
func newTag(branches []*rule) *tag {
	var options []option
	for i, branch := range branches {
		if one := newOption(i, branch); one.kinds&kindObject != 0 {
			options = append(options, one)
		}
	}
	if len(options) < 2 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(options[0].choices)) {
		if t := tagOf(name, options); t != nil {
			return t
		}
	}
	return nil
}

func tagOf(name string, options []option) *tag {
	t := &tag{name: name, branches: map[string]int{}, required: true}
	for _, one := range options {
		values, ok := one.choices[name]
		if !ok {
			return nil
		}
		t.required = t.required && slices.Contains(one.required, name)
		for _, v := range values {
			if _, taken := t.branches[identity(v)]; taken {
				return nil
			}
			t.branches[identity(v)] = one.place
			t.values = append(t.values, v)
		}
	}
	return t
}

// listedBy is what branches allow between them, nil if one does not list its values.
func listedBy(branches []*rule) []any {
	var values []any
	for _, branch := range branches {
		listed := branch.choice()
		if listed == nil {
			return nil
		}
		values = append(values, listed...)
	}
	return values
}

// option is a branch of a union, as far as its tag is concerned.
type option struct {
	place    int
	kinds    kind
	required []string
	choices  map[string][]any // the values of the properties that list theirs
}

func newOption(place int, branch *rule) option {
	one := option{place: place, kinds: anyKind, choices: map[string][]any{}}
	for _, u := range branch.certain() {
		if u.constant == nil {
			one.kinds &= u.kinds
		}
		one.required = append(one.required, u.required...)
		for name, property := range u.properties {
			if values := property.choice(); values != nil {
				one.choices[name] = values
			}
		}
	}
	return one
}

// choice lists the values that a rule allows, nil if it does not list them, or if they may hold what is sensitive.
func (u *rule) choice() []any {
	if slices.ContainsFunc(u.certain(), func(part *rule) bool { return part.leads }) {
		return nil
	}
	for _, part := range u.certain() {
		if value, ok := part.node["const"]; ok {
			return []any{value}
		}
		if values, ok := part.node["enum"].([]any); ok {
			return values
		}
	}
	return nil
}

// certain lists a rule and all that always hold with it, each once.
func (u *rule) certain() []*rule {
	rules := []*rule{u}
	for i := 0; i < len(rules); i++ {
		for _, next := range rules[i].always {
			if !slices.Contains(rules, next.rule) {
				rules = append(rules, next.rule)
			}
		}
	}
	return rules
}
