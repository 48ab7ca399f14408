package payload

import "slices"

// nothing is what is found where a value is missing.
const nothing = "nothing"

// missing is about a property that has to be there.
func (f flaw) missing(why string) Violation {
	return at(f.at(), "a value, as the property is "+why, nothing, "the property is "+why+" and missing")
}

// untagged is about the value that says which branch of a union is meant.
func (f flaw) untagged() Violation {
	if f.union.tag == nil {
		return f.mismatch(choice(f.union.values), shown(f.value))
	}
	values := choice(f.union.tag.values)
	if f.member != "" {
		return at(f.at(), values, nothing, "the property is required and missing; give "+values)
	}
	return f.mismatch(values, shown(f.value))
}

// surplus is about a property that there is no place for.
func (t *teller) surplus(f flaw) Violation {
	known := f.rule.known
	if f.keyword == "additionalProperties" {
		known = f.rule.names
	}
	if _, ok := slices.BinarySearch(known, f.member); ok {
		return at(f.at(), "no such property beside the others", shown(f.value.member(f.member)),
			"the property "+show(f.member)+" is not allowed beside the others")
	}
	expected, way := "no properties", "no properties are allowed"
	if len(known) > 0 {
		expected = "one of the properties " + list(known)
		way = "the properties are " + list(known)
	}
	meant := ""
	if near := t.nearest(f.member, known); near != "" {
		meant = CutText(show(near))
		way = "did you mean " + meant + "?"
	}
	v := at(f.at(), expected, "the property "+show(f.member), "unknown property "+show(f.member)+"; "+way)
	v.Meant = meant
	return v
}

// nearest gives up where there are too many names to compare.
func (t *teller) nearest(name string, names []string) string {
	if t.comparisons -= len(names); t.comparisons < 0 {
		return ""
	}
	return nearest(name, names)
}
