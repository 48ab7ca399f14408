package schema_test

import "testing"

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
