package payload

import (
	"cmp"
	"slices"
	"strings"
)

// maxViolations is how many violations are put into words.
const maxViolations = 1000

// invalid says what is wrong with a value that does not fit, in steps of its own. The error is a *TooComplex if they do
// not get as far as one violation.
func (r *run) invalid(u *rule, v *value) error {
	markSecrets(u, v)
	e := &explainer{run: &run{known: r.known}, reports: map[question]*report{}}
	t := &teller{comparisons: maxComparisons}
	t.tell(e.explain(u, v), map[*report]bool{})
	slices.SortStableFunc(t.violations, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Message, b.Message))
	})
	violations := slices.Compact(t.violations)
	if len(violations) == 0 && e.over != nil {
		return e.err()
	}
	if len(violations) == 0 {
		f := flaw{rule: u, value: v}
		violations = append(violations, f.mismatch("a value that fits the schema", shown(v)))
	}
	return &Invalid{
		Violations: violations[:min(len(violations), maxViolations)],
		More:       e.enough() || len(violations) > maxViolations,
	}
}

// teller puts flaws into words.
type teller struct {
	violations  []Violation
	comparisons int // of names with names that may be meant, which are left
}

// maxComparisons keeps suggestions from taking longer than everything else.
const maxComparisons = 50_000

// tell goes through a report, as far as its violations are listed.
func (t *teller) tell(r *report, told map[*report]bool) {
	if told[r] || len(t.violations) > maxViolations {
		return
	}
	told[r] = true
	for _, f := range r.flaws {
		t.violations = append(t.violations, t.violation(f))
	}
	for _, list := range [][]*report{r.around, r.parts} {
		for _, next := range list {
			t.tell(next, told)
		}
	}
}

// violation says what is wrong, and nothing of what is sensitive.
func (t *teller) violation(f flaw) Violation {
	v := t.words(f)
	if f.value.sealed() != nil {
		return f.aboutSecret(v)
	}
	return v
}

// words says what is wrong in words.
func (t *teller) words(f flaw) Violation {
	switch f.keyword {
	case "required":
		return f.missing("required")
	case "dependentRequired":
		return f.missing("required together with " + show(f.given))
	case keywordTag:
		return f.untagged()
	case "additionalProperties", "unevaluatedProperties":
		return t.surplus(f)
	case "properties", "patternProperties":
		return f.mismatch("no such property", shown(f.value))
	case "items", "prefixItems", "unevaluatedItems":
		return f.mismatch("no item here", shown(f.value))
	case "anyOf", "oneOf":
		return f.choice()
	case "":
		return f.mismatch(nothing, shown(f.value))
	}
	expected, found := f.words()
	return f.mismatch(expected, found)
}

// mismatch is about the value itself.
func (f flaw) mismatch(expected, found string) Violation {
	if f.value.isName() {
		expected = "a property whose name is " + expected
	}
	return at(f.value.pointer(), expected, found, "expected "+expected+", found "+found)
}

func at(pointer, expected, found, message string) Violation {
	return Violation{
		Pointer: pointer, Expected: CutText(expected), Found: CutText(found), Message: CutText(place(pointer) + ": " + message),
	}
}

// at is where a property of the value is, or would be.
func (f flaw) at() string { return f.value.pointer(f.member) }
