package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// sensitivity lists the fields of an object that are sensitive, and with a plus those that hold something that is.
func sensitivity(t *schema.Type) string {
	var found []string
	for _, field := range t.Fields {
		switch {
		case field.Use.IsSensitive():
			found = append(found, field.Name)
		case field.Use.HoldsSensitive():
			found = append(found, field.Name+"+")
		}
	}
	return strings.Join(found, " ")
}

func TestValuesAreSensitiveWhereverTheirSchemaSaysSo(t *testing.T) {
	t.Parallel()
	const secret = "{type: string, x-sensitive: true}"
	for _, test := range []struct{ name, src, want string }{
		{"a property", properties("a: " + secret + ", b: {type: string}"), "a"},
		{"of an object", properties("a: {type: object, properties: {b: " + secret + ", c: {type: string}}}, d: {type: string}"), "a+"},
		{"an object as a whole", properties("a: {type: object, x-sensitive: true, properties: {b: {type: string}}}"), "a"},
		{"beside a reference", "$defs: {A: {type: string}}\n" + properties("a: {$ref: '#/$defs/A', x-sensitive: true}, b: {$ref: '#/$defs/A'}"), "a"},
		{"where a reference leads", "$defs: {A: {$ref: '#/$defs/B'}, B: " + secret + "}\n" + properties("a: {$ref: '#/$defs/A'}, b: {type: array, items: {$ref: '#/$defs/B'}}"), "a b"},
		{"in a part of a composition", properties("a: {allOf: [{minLength: 1}, " + secret + "]}, b: {anyOf: [{type: 'null'}, " + secret + "]}, c: {type: string, oneOf: [{maxLength: 1}, {minLength: 3, x-sensitive: true}]}, d: {type: string, if: {maxLength: 2}, then: {x-sensitive: true}}"), "a b c d"},
		{"items", properties("a: {type: array, items: " + secret + "}, b: {type: array, items: {type: array, items: " + secret + "}}, c: {type: array, x-sensitive: true}"), "a b c"},
		{"members of items", properties("a: {type: array, items: {type: object, properties: {b: " + secret + "}}}"), "a+"},
		{"one of the first items", properties("a: {type: array, prefixItems: [{type: string}, " + secret + "], items: {type: string}}, b: {type: array, prefixItems: [" + secret + "]}, c: {type: array, prefixItems: [" + secret + "], items: false}, d: {type: array, prefixItems: [" + secret + ", " + secret + "], items: " + secret + "}"), "a+ b+ c d"},
		{"members of a map", properties("a: {type: object, additionalProperties: " + secret + "}, b: {type: object, patternProperties: {'^x': {type: object, properties: {c: " + secret + "}}}}"), "a+ b+"},
		{"other members of an object", properties("a: {type: object, properties: {b: {type: string}}, additionalProperties: " + secret + "}"), "a+"},
		{"members that only a part names", properties("a: {type: object, properties: {b: {type: string}}, anyOf: [{properties: {c: " + secret + "}}, true]}"), "a+"},
		{"in a branch of a choice", properties("a: {oneOf: [{type: object, required: [k], properties: {k: {const: x}, s: " + secret + "}}, {type: object, required: [k], properties: {k: {const: y}}}]}"), "a+"},
		{"in raw JSON", properties("a: {anyOf: [{type: string}, {type: object, properties: {b: " + secret + "}}]}, b: {x-go-type: raw, type: object, properties: {c: {type: array, items: " + secret + "}}}, c: {anyOf: [{type: string}, {type: integer}]}"), "a b"},
		{"in what contains itself", "$defs: {A: {type: object, properties: {next: {$ref: '#/$defs/A'}, s: " + secret + "}}, B: {type: object, properties: {next: {$ref: '#/$defs/B'}}}}\n" + properties("a: {$ref: '#/$defs/A'}, b: {$ref: '#/$defs/B'}"), "a+"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, _ := read(t, test.src)
			if diff := cmp.Diff(test.want, sensitivity(root.Type)); diff != "" {
				t.Errorf("sensitive (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarksThatHideNothingAreReported(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		want      []string // where
	}{
		{"the root", "schema: {type: object, x-sensitive: true, properties: {a: {type: string}}}", []string{"schema.x-sensitive"}},
		{"what only decides", properties("a: {type: string, not: {x-sensitive: true}}, b: {type: array, items: {type: string}, contains: {x-sensitive: true}}, c: {type: object, propertyNames: {x-sensitive: true}}"),
			[]string{"schema.properties.a.not.x-sensitive", "schema.properties.b.contains.x-sensitive", "schema.properties.c.propertyNames.x-sensitive"}},
		{"more of a property", properties("a: {type: object, properties: {b: {type: string}}, if: {}, then: {properties: {b: {x-sensitive: true}}}}"),
			[]string{"schema.properties.a.then.properties.b.x-sensitive"}},
		{"more of a property that a definition describes", "$defs: {A: {type: object, properties: {b: {type: string}}}}\n" +
			"schema: {type: object, properties: {a: {$ref: '#/$defs/A'}}, allOf: [{properties: {a: {properties: {b: {x-sensitive: true}}}}}]}",
			[]string{"schema.allOf[0].properties.a.properties.b.x-sensitive"}},
		{"more of a property by a pattern", properties("a: {type: object, properties: {pass: {type: string}}, patternProperties: {'^p': {type: string, x-sensitive: true}}}"),
			[]string{"schema.properties.a.patternProperties.^p.x-sensitive"}},
		{"of all members, in a part", properties("a: {type: object, properties: {b: {type: string}}, allOf: [{additionalProperties: {x-sensitive: true}}]}"),
			[]string{"schema.properties.a.allOf[0].additionalProperties.x-sensitive"}},
		{"items in a part", properties("a: {type: array, items: {type: string}, allOf: [{items: {x-sensitive: true}}]}"),
			[]string{"schema.properties.a.allOf[0].items.x-sensitive"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree, faults := document.Read("f.yaml", []byte(test.src))
			reader := schema.NewReader(tree.Get("$defs"))
			reader.Read(tree.Get("schema"), place, schema.Options{})
			var got []string
			for _, fault := range slices.Concat(faults, reader.Faults()) {
				if fault.Code != "CS1322" {
					t.Errorf("unexpected: %v", fault)
				}
				got = append(got, fault.Where)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMisspeltMarksAreReported(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"x-sensitve", "x-Sensitive", "x-senstive", "x-sensitivity"} {
		tree, _ := document.Read("f.yaml", []byte(properties("a: {type: string, "+key+": true}")))
		reader := schema.NewReader(nil)
		reader.Read(tree.Get("schema"), place, schema.Options{})
		if faults := reader.Faults(); len(faults) != 1 || faults[0].Code != "CS1302" {
			t.Errorf("%s: %v", key, faults)
		}
	}
}

func TestMarksAreKeptForTheRuntimeAndNoPartOfWhatAnApprovalIsBoundTo(t *testing.T) {
	t.Parallel()
	plain, _ := read(t, properties("a: {type: string}"))
	marked, _ := read(t, properties("a: {type: string, x-sensitive: true}"))
	if plain.Canonical != marked.Canonical {
		t.Errorf("the canonical form changes: %s and %s", plain.Canonical, marked.Canonical)
	}
	const want = `{"type":"object","properties":{"a":{"type":"string","x-sensitive":true}},"unevaluatedProperties":false}`
	if diff := cmp.Diff(want, string(marked.JSON)); diff != "" {
		t.Errorf("handed out (-want +got):\n%s", diff)
	}
}
