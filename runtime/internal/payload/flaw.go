package payload

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// flaw is one error of the library with what it is about.
type flaw struct {
	schema    *Schema
	part      *jsonschema.Schema // that the error is about as a whole; nil if it is about a keyword
	owner     *jsonschema.Schema // that has the keyword; nil if it is not in this document
	keyword   string             // that failed, or that holds the schema false
	node      map[string]any     // what the owner says
	forbidden bool               // the schema is false and allows nothing
	unplaced  bool               // the library leaves empty names out of its pointers, so the value is further in
	isName    bool               // value is the name of a property, which tokens lead to
	tokens    []string           // of the pointer to the value
	value     any
}

func (r *reporter) flawOf(e *jsonschema.ValidationError) flaw {
	f := flaw{schema: r.schema, tokens: tokensOf(e.InstanceLocation)}
	f.owner, f.keyword = r.schema.keywordAt(e.AbsoluteKeywordLocation)
	f.node = r.schema.node(f.owner)
	f.part = r.schema.index[e.AbsoluteKeywordLocation]
	f.forbidden = f.part != nil && f.part.Always != nil && !*f.part.Always
	f.value, _ = lookup(r.tree, f.tokens)
	depth, inNames := descents(e.KeywordLocation)
	if f.part == nil && f.keyword == "additionalProperties" {
		depth-- // false there is no schema of its own
	}
	f.unplaced = depth != len(f.tokens)
	if f.isName = inNames && !f.unplaced; f.isName {
		f.value = f.tokens[len(f.tokens)-1]
	}
	return f
}

// keywordAt splits the location of a keyword into the schema that has it, if that is in this document, and its name.
// Most keywords are right under their schema; an entry of dependentRequired has its own name and index behind.
func (s *Schema) keywordAt(location string) (*jsonschema.Schema, string) {
	const deepest = 3 // dependentRequired/name/index
	rest, keyword := location, ""
	for range deepest {
		slash := strings.LastIndexByte(rest, '/')
		if slash < strings.IndexByte(rest, '#') {
			return nil, ""
		}
		rest, keyword = rest[:slash], rest[slash+1:]
		if owner := s.index[rest]; s.node(owner) != nil {
			return owner, keyword
		}
	}
	return nil, ""
}

// descents counts how often the path of an error through the schema goes from a value to one it holds, and says
// whether it ends in the names of properties, not their values.
func descents(keywordLocation string) (n int, inNames bool) {
	tokens := tokensOf(keywordLocation)
	for i := 0; i < len(tokens); i++ {
		switch tokens[i] {
		case "propertyNames":
			return n + 1, true
		case "items", "additionalProperties", "unevaluatedProperties", "unevaluatedItems":
			n++
		case "properties", "patternProperties", "prefixItems":
			n++
			i++ // what follows is a name or an index
		case "dependentSchemas", "dependentRequired", "allOf", "anyOf", "oneOf":
			i++
		}
	}
	return n, false
}

func (f flaw) pointer() string { return join(f.tokens...) }

func (f flaw) isUnion() bool {
	return f.owner != nil && f.part == nil && (f.keyword == "anyOf" || f.keyword == "oneOf")
}

// findings says what is wrong in words. Most keywords give one finding, those about properties one for each.
func (f flaw) findings() []finding {
	switch {
	case f.unplaced:
		return []finding{f.at(f.tokens, "properties that fit the schema", `a property with the name ""`,
			`a property with the name "", here or inside, does not fit the schema`)}
	case f.forbidden:
		return []finding{f.notAllowed()}
	case f.owner == nil:
		return []finding{f.mismatch("a value that fits the schema", show(f.value))}
	case f.keyword == "required":
		return f.missing()
	case f.keyword == "dependentRequired":
		return f.missingWith()
	case f.keyword == "additionalProperties":
		return f.additional()
	}
	expected, found := f.words()
	only := f.mismatch(expected, found)
	only.kinds = f.kinds()
	return []finding{only}
}

// mismatch is a finding about the value itself.
func (f flaw) mismatch(expected, found string) finding {
	if f.isName {
		expected = "a property whose name is " + expected
	}
	return f.at(f.tokens, expected, found, "expected "+expected+", found "+found)
}

func (f flaw) at(tokens []string, expected, found, message string) finding {
	pointer := join(tokens...)
	return finding{Violation: Violation{
		Pointer:  pointer,
		Expected: expected,
		Found:    found,
		Message:  place(pointer) + ": " + message,
	}}
}

// member is the tokens of a property of the value.
func (f flaw) member(name string) []string { return append(slices.Clone(f.tokens), name) }
