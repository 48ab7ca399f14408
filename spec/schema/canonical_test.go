package schema_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/spec/schema"
)

func TestCanonicalIsTheSameForEveryWayToWriteASchema(t *testing.T) {
	t.Parallel()
	one, _ := read(t, `
schema:
  type: object
  description: A thing.
  required: [a, b]
  properties:
    a: {type: ["null", string], maxLength: 10, title: First}
    b: {enum: [x, y], deprecated: true}
    title: {type: number, minimum: 1.50, default: 1e1}
`)
	other, _ := read(t, `
schema:
  properties:
    title: {default: 10, minimum: 1.5, type: number, description: Its title.}
    b: {enum: [y, x]}
    a: {maxLength: 10, type: [string, "null"]}
  required: [b, a]
  type: object
`)
	if one.Canonical != other.Canonical {
		t.Errorf("differ:\n%s\n%s", one.Canonical, other.Canonical)
	}
	for _, src := range []string{
		properties("a: {type: string}"),
		properties("a: {type: string, maxLength: 1}"),
		properties("title: {type: string}"),
		properties("a: {type: string, default: x}"),
	} {
		changed, _ := read(t, src)
		if changed.Canonical == one.Canonical || changed.Canonical == "" {
			t.Errorf("%s has the canonical form of another schema", src)
		}
	}
}

// canonicalOf is the canonical form of a schema of one property.
func canonicalOf(t *testing.T, property string) string {
	t.Helper()
	root, _ := readAs(t, "$defs: {A: {type: string}, B: {type: string, minLength: 1}}\n"+properties("a: "+property), schema.Options{Open: true})
	return root.Canonical
}

func TestCanonicalSeesEveryKeyword(t *testing.T) {
	t.Parallel()
	seen := map[string]string{canonicalOf(t, "{}"): "{}"}
	for _, property := range []string{
		"{$ref: '#/$defs/A'}", "{$ref: '#/$defs/B'}", "{type: 'null'}", "{enum: [1]}", "{enum: [1, 2]}", "{enum: [[1, 2]]}", "{enum: [[2, 1]]}", "{const: 1}", "{const: '1'}",
		"{allOf: [true]}", "{allOf: [false]}", "{anyOf: [true]}", "{oneOf: [true]}", "{not: true}", "{if: true}", "{if: false}", "{then: true}", "{else: true}",
		"{dependentSchemas: {b: true}}", "{dependentSchemas: {c: true}}", "{dependentRequired: {b: [c]}}", "{dependentRequired: {b: [d]}}",
		"{properties: {b: true}}", "{patternProperties: {b: true}}", "{additionalProperties: true}", "{unevaluatedProperties: true}", "{propertyNames: true}",
		"{required: [b]}", "{minProperties: 1}", "{maxProperties: 1}", "{items: true}", "{items: {}}", "{prefixItems: [true, false]}", "{prefixItems: [false, true]}",
		"{unevaluatedItems: true}", "{contains: true}", "{minContains: 1}", "{maxContains: 1}", "{minItems: 1}", "{maxItems: 1}", "{uniqueItems: true}",
		"{minLength: 1}", "{maxLength: 1}", "{pattern: a}", "{contentEncoding: base64}", "{contentMediaType: text/plain}", "{contentSchema: true}", "{format: date}",
		"{minimum: 1}", "{maximum: 1}", "{exclusiveMinimum: 1}", "{exclusiveMaximum: 1}", "{multipleOf: 1}", "{default: 1}",
		"{type: string}", "{type: string, x-go-type: raw}", "{type: number}", "{type: number, x-go-type: float64}", "{type: number, x-go-type: raw}", "{type: integer, x-go-type: raw}", "{type: integer, x-go-type: number}",
	} {
		form := canonicalOf(t, property)
		if other, taken := seen[form]; taken {
			t.Errorf("%s has the canonical form of %s", property, other)
		}
		seen[form] = property
	}
}

func TestCanonicalDoesNotDependOnOrderThatMeansNothing(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"{anyOf: [{type: string}, {minimum: 1.0}]}", "{anyOf: [{minimum: 1}, {type: string, title: A}]}"},
		{"{allOf: [{not: {const: {x: 1, y: 2}}}, {minLength: 1}]}", "{allOf: [{minLength: 1}, {not: {const: {y: 2, x: 1}}}]}"},
		{"{type: string, enum: [a]}", "{type: string, enum: [a], x-go-type: string, x-go-name: B, x-order: 1}"},
		{"{dependentRequired: {b: [c, d], e: [f]}}", "{dependentRequired: {e: [f], b: [d, c]}}"},
		{"{if: {required: [b, c]}, then: {minProperties: 1}}", "{then: {minProperties: 1}, if: {required: [c, b]}}"},
		{"{x-order: 1, x-go-name: B}", "{}"},
	} {
		if one, other := canonicalOf(t, pair[0]), canonicalOf(t, pair[1]); one != other {
			t.Errorf("differ:\n%s\n%s", one, other)
		}
	}
}
