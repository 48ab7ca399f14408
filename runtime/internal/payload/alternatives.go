package payload

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// choice is about a union that no branch fits, or too many.
func (f flaw) choice() Violation {
	expected := fmt.Sprintf("a value that fits one of %d alternatives", len(f.union.branches))
	if f.union.exclusive() {
		expected = fmt.Sprintf("a value that fits exactly one of %d alternatives", len(f.union.branches))
	}
	expected += f.alternatives()
	found := shown(f.value)
	switch {
	case len(f.counted) > 1:
		found += ", which fits " + listed(f.counted)
	case len(f.counted) == 1:
		found += ", which is nearest to " + listed(f.counted)
	}
	return f.mismatch(expected, found)
}

// listed names branches by their numbers, which count from 1.
func listed(places []int) string {
	var numbers []string
	for _, i := range places {
		numbers = append(numbers, fmt.Sprintf("(%d)", i+1))
	}
	last := len(numbers) - 1
	if last == 0 {
		return numbers[0]
	}
	return strings.Join(numbers[:last], ", ") + " and " + numbers[last]
}

// maxAlternatives is how many branches of a union are described.
const maxAlternatives = 10

// alternatives describes the branches of the union, after a colon; "" if there is nothing to tell.
func (f flaw) alternatives() string {
	var told []string
	distinct := map[string]bool{}
	for i, branch := range f.union.branches[:min(len(f.union.branches), maxAlternatives)] {
		brief := branch.brief()
		distinct[brief] = true
		told = append(told, fmt.Sprintf("(%d) %s", i+1, brief))
	}
	if len(distinct) == 1 {
		return ""
	}
	text := ": " + strings.Join(told, ", ")
	if more := len(f.union.branches) - maxAlternatives; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unknown is the brief of a rule of which a few words can say nothing.
const unknown = "something else"

// brief says in a few words what tells a rule from others.
func (u *rule) brief() string {
	for _, part := range u.certain() {
		if title, ok := part.node["title"].(string); ok && title != "" {
			return show(title)
		}
	}
	about := newOption(0, u)
	values, members := u.choice(), about.members()
	switch {
	case values != nil:
		return choice(values)
	case len(members) > 0 && about.kinds&kindObject != 0:
		return "an object with " + strings.Join(members[:min(len(members), maxListed)], ", ")
	case u.not != nil && len(u.not.required) > 0:
		return "an object without " + list(u.not.required)
	case about.kinds != anyKind:
		return strings.Join(kindNames(about.kinds), " or ")
	}
	return unknown
}

// members are the properties that an object of the branch has for certain, or that have one value only.
func (o option) members() []string {
	var members []string
	for _, name := range o.required {
		if len(o.choices[name]) != 1 {
			members = append(members, show(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.choices)) {
		if values := o.choices[name]; len(values) == 1 {
			members = append(members, show(name)+": "+show(values[0]))
		}
	}
	return members
}
