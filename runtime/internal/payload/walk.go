package payload

import (
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// indexed finds every schema that root is made of.
func indexed(root *jsonschema.Schema) map[string]*jsonschema.Schema {
	index := map[string]*jsonschema.Schema{}
	var visit func(*jsonschema.Schema)
	visit = func(s *jsonschema.Schema) {
		if index[s.Location] != nil {
			return
		}
		index[s.Location] = s
		for _, part := range append(inPlace(s), inside(s)...) {
			visit(part)
		}
	}
	visit(root)
	return index
}

// inPlace lists the schemas that a schema applies to the same value, always or under a condition.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	var parts []*jsonschema.Schema
	parts = append(parts, s.AllOf...)
	parts = append(parts, s.AnyOf...)
	parts = append(parts, s.OneOf...)
	for _, part := range []*jsonschema.Schema{s.Ref, s.DynamicRef, s.RecursiveRef, s.Not, s.If, s.Then, s.Else} {
		parts = appendSchema(parts, part)
	}
	for _, part := range s.DependentSchemas {
		parts = append(parts, part)
	}
	for _, part := range s.Dependencies {
		parts = appendSchema(parts, part)
	}
	return parts
}

// inside lists the schemas that a schema applies to what the value holds.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	var parts []*jsonschema.Schema
	for _, part := range s.Properties {
		parts = append(parts, part)
	}
	for _, part := range s.PatternProperties {
		parts = append(parts, part)
	}
	parts = append(parts, s.PrefixItems...)
	for _, part := range []any{
		s.PropertyNames, s.AdditionalProperties, s.UnevaluatedProperties, s.Items2020, s.Contains, s.UnevaluatedItems,
	} {
		parts = appendSchema(parts, part)
	}
	return parts
}

// appendSchema appends what one of the library's fields holds, if that is a schema.
func appendSchema(parts []*jsonschema.Schema, field any) []*jsonschema.Schema {
	if s, ok := field.(*jsonschema.Schema); ok && s != nil {
		return append(parts, s)
	}
	return parts
}

// node is the object that a schema was read from; nil for none, for true and false, and for what is not in this document.
func (s *Schema) node(part *jsonschema.Schema) map[string]any {
	if part == nil {
		return nil
	}
	value, _ := s.at(part.Location)
	object, _ := value.(map[string]any)
	return object
}

// at finds the part of the schema's text at a location of the library.
func (s *Schema) at(location string) (any, bool) {
	document, _, _ := strings.Cut(s.compiled.Location, "#")
	found, fragment, _ := strings.Cut(location, "#")
	if found != document {
		return nil, false
	}
	return lookup(s.doc, tokensOf(fragment))
}
