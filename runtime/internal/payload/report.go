package payload

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// finding is a violation and what it came from.
type finding struct {
	Violation
	kinds []string // that were asked for instead of the kind the value is of; nil if that is not what is wrong
	// doubtful marks a property that the schema knows, refused only because the part of the schema that knows it
	// failed. It is dropped where the failure itself is reported.
	doubtful bool
}

// report lists what the library found wrong with a value.
func (s *Schema) report(tree any, flaws *jsonschema.ValidationError) []Violation {
	r := &reporter{schema: s, tree: tree}
	var violations []Violation
	for _, f := range withoutDoubtful(r.collect(flaws)) {
		violations = append(violations, f.Violation)
	}
	slices.SortFunc(violations, func(a, b Violation) int {
		return cmp.Or(strings.Compare(a.Pointer, b.Pointer), strings.Compare(a.Message, b.Message))
	})
	return slices.Compact(violations)
}

// withoutDoubtful drops doubtful findings unless there are no others in the same object.
func withoutDoubtful(findings []finding) []finding {
	certain := map[string]bool{} // pointers of values that hold, or are, what is certainly wrong
	for _, f := range findings {
		for pointer := f.Pointer; !f.doubtful && !certain[pointer]; pointer = parentOf(pointer) {
			certain[pointer] = true
		}
	}
	return slices.DeleteFunc(findings, func(f finding) bool { return f.doubtful && certain[parentOf(f.Pointer)] })
}

// reporter turns the library's tree of errors about one value into findings.
type reporter struct {
	schema *Schema
	tree   any
}

func (r *reporter) collect(e *jsonschema.ValidationError) []finding {
	f := r.flawOf(e)
	switch {
	case f.isUnion():
		return r.union(f, e.Causes)
	case f.keyword == "minContains" || len(e.Causes) == 0:
		return f.findings()
	}
	var findings []finding
	for _, cause := range e.Causes {
		findings = append(findings, r.collect(cause)...)
	}
	return findings
}

// union reports the one branch that is of the kind of the value, and otherwise the union as a whole.
func (r *reporter) union(f flaw, branches []*jsonschema.ValidationError) []finding {
	var fitting [][]finding
	var kinds []string
	for _, branch := range branches {
		findings := r.collect(branch)
		ofAnotherKind := func(b finding) bool { return b.kinds != nil && b.Pointer == f.pointer() }
		if i := slices.IndexFunc(findings, ofAnotherKind); i >= 0 {
			kinds = append(kinds, findings[i].kinds...)
		} else {
			fitting = append(fitting, findings)
		}
	}
	switch {
	case len(fitting) == 1:
		return fitting[0]
	case len(fitting) == 0 && len(kinds) > 0:
		slices.Sort(kinds)
		return []finding{f.mismatch(strings.Join(slices.Compact(kinds), " or "), show(f.value))}
	}
	return f.findings()
}
