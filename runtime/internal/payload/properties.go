package payload

import (
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// nothing is what is found where a value is missing.
const nothing = "nothing"

// missing reports every required property that is not there.
func (f flaw) missing() []finding {
	object, _ := f.value.(map[string]any)
	var findings []finding
	for _, name := range f.owner.Required {
		if _, ok := object[name]; !ok {
			findings = append(findings, f.at(f.member(name), "a value, as the property is required", nothing,
				"the property is required and missing"))
		}
	}
	return findings
}

// missingWith reports the properties that have to be there because others are. The library gives one error for each,
// which say the same.
func (f flaw) missingWith() []finding {
	object, _ := f.value.(map[string]any)
	var findings []finding
	for _, given := range slices.Sorted(maps.Keys(f.owner.DependentRequired)) {
		if _, ok := object[given]; !ok {
			continue
		}
		for _, name := range f.owner.DependentRequired[given] {
			if _, ok := object[name]; !ok {
				why := "required together with " + show(given)
				findings = append(findings, f.at(f.member(name), "a value, as the property is "+why, nothing,
					"the property is "+why+" and missing"))
			}
		}
	}
	return findings
}

// additional reports the properties that `additionalProperties: false` leaves no place for.
func (f flaw) additional() []finding {
	object, _ := f.value.(map[string]any)
	known := slices.Sorted(maps.Keys(f.owner.Properties))
	var findings []finding
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if !slices.Contains(known, name) && !matchesPattern(f.owner, name) {
			findings = append(findings, f.unknown(f.member(name), known))
		}
	}
	return findings
}

func matchesPattern(s *jsonschema.Schema, name string) bool {
	for pattern := range s.PatternProperties {
		if pattern.MatchString(name) {
			return true
		}
	}
	return false
}

// notAllowed reports a value where the schema is false.
func (f flaw) notAllowed() finding {
	if f.owner != nil && f.keyword == "unevaluatedProperties" {
		return f.unevaluated()
	}
	expected := nothing
	if len(f.tokens) > 0 {
		expected = "no such property"
		if f.inList() {
			expected = "no item here"
		}
	}
	return f.mismatch(expected, show(f.value))
}

// inList says whether the keyword that holds false is one about items.
func (f flaw) inList() bool {
	return f.owner != nil && slices.Contains([]string{"items", "prefixItems", "unevaluatedItems"}, f.keyword)
}

// unevaluated reports a property that no part of a closed object speaks of.
func (f flaw) unevaluated() finding {
	known := slices.Sorted(maps.Keys(properties(f.owner)))
	name := f.tokens[len(f.tokens)-1]
	if !slices.Contains(known, name) {
		return f.unknown(f.tokens, known)
	}
	finding := f.at(f.tokens, "no such property beside the others", show(f.value),
		"the property "+show(name)+" is not allowed beside the others")
	finding.doubtful = true
	return finding
}

// unknown reports a property of an unknown name.
func (f flaw) unknown(tokens []string, known []string) finding {
	name := tokens[len(tokens)-1]
	var names []string
	for _, k := range known {
		names = append(names, show(k))
	}
	expected, way := "no properties", "no properties are allowed"
	if len(known) > 0 {
		expected = "one of the properties " + list(names)
		way = "the properties are " + list(names)
	}
	if near := nearest(name, known); near != "" {
		way = "did you mean " + show(near) + "?"
	}
	message := "unknown property " + show(name) + "; " + way
	return f.at(tokens, expected, "the property "+show(name), message)
}

// properties collects the properties that a schema and all it applies to the same value speak of.
func properties(s *jsonschema.Schema) map[string]bool {
	names, seen := map[string]bool{}, map[*jsonschema.Schema]bool{}
	var visit func(*jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if seen[s] {
			return
		}
		seen[s] = true
		for name := range s.Properties {
			names[name] = true
		}
		for _, part := range inPlace(s) {
			visit(part)
		}
	}
	visit(s)
	return names
}
