package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/schema"
)

// handed is a schema, and what is handed out for it.
type handed struct{ name, src, want string }

func checkHandedOut(t *testing.T, options schema.Options, tests []handed) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, _ := readAs(t, test.src, options)
			if diff := cmp.Diff(test.want, string(root.JSON)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestJSONIsTheAuthorsButBoundedAndBundled(t *testing.T) {
	t.Parallel()
	checkHandedOut(t, schema.Options{}, []handed{
		{"numbers keep their digits", properties("a: {type: number, minimum: -1.50, maximum: 12345678901234567890.1, multipleOf: 1e-2, default: 1.0}"),
			`{"type":"object","properties":{"a":{"type":"number","minimum":-1.50,"maximum":12345678901234567890.1,"multipleOf":1e-2,"default":1.0}},"unevaluatedProperties":false}`},
		{"integers get the bounds of int64", properties("a: {type: integer}, b: {type: [integer, 'null'], default: 1}"),
			`{"type":"object","properties":{"a":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},` +
				`"b":{"type":["integer","null"],"default":1,"minimum":-9223372036854775808,"maximum":9223372036854775807}},"unevaluatedProperties":false}`},
		{"narrower bounds stay", properties("a: {type: integer, exclusiveMinimum: 0}, b: {type: integer, minimum: 1, maximum: 2}"),
			`{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":0,"maximum":9223372036854775807},` +
				`"b":{"type":"integer","minimum":1,"maximum":2}},"unevaluatedProperties":false}`},
		{"what is no int64 gets none", properties("a: {type: integer, x-go-type: number}, b: {type: [integer, string]}, c: {type: [array, string], items: {type: integer}}"),
			`{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["integer","string"]},"c":{"type":["array","string"],"items":{"type":"integer"}}},"unevaluatedProperties":false}`},
		{"whatever others make of a definition", "$defs: {A: {type: integer}}\n" + properties("a: {anyOf: [{$ref: '#/$defs/A'}, {type: string}]}"),
			`{"type":"object","properties":{"a":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"string"}]}},"unevaluatedProperties":false,"$defs":{"A":{"type":"integer"}}}`},
		{"definitions in use are bundled", "$defs: {A: {$ref: '#/$defs/B'}, B: {type: object, properties: {}}, C: {type: string}}\n" + properties("a: {$ref: '#/$defs/A'}"),
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"unevaluatedProperties":false,` +
				`"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object","properties":{},"unevaluatedProperties":false}}}`},
		{"beside its own", "$defs: {B: {type: integer, minimum: 1, maximum: 2}}\nschema: {type: object, $defs: {A: {type: string}}, properties: {a: {$ref: '#/$defs/A'}, b: {$ref: '#/$defs/B'}}}",
			`{"type":"object","$defs":{"A":{"type":"string"},"B":{"type":"integer","minimum":1,"maximum":2}},` +
				`"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/B"}},"unevaluatedProperties":false}`},
		{"a default is no schema", properties("a: {type: object, properties: {properties: {type: string}}, default: {properties: x}}"),
			`{"type":"object","properties":{"a":{"type":"object","properties":{"properties":{"type":"string"}},"default":{"properties":"x"},"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
		{"a default needs only what has none", properties("a: {type: object, required: [b], properties: {b: {type: string, default: x}}, additionalProperties: false, default: {}}"),
			`{"type":"object","properties":{"a":{"type":"object","required":["b"],"properties":{"b":{"type":"string","default":"x"}},"additionalProperties":false,"default":{}}},"unevaluatedProperties":false}`},
		{"arrays take any item unless they say", properties("a: {type: array}, b: {type: [array, 'null'], default: null}"),
			`{"type":"object","properties":{"a":{"type":"array","items":{}},"b":{"type":["array","null"],"default":null,"items":{}}},"unevaluatedProperties":false}`},
		{"but not where that would be evaluating them", properties("a: {allOf: [{type: array}], unevaluatedItems: false}"),
			`{"type":"object","properties":{"a":{"allOf":[{"type":"array"}],"unevaluatedItems":false}},"unevaluatedProperties":false}`},
		{"extensions are left out", properties("a: {type: string, x-order: 3, x-go-name: Z}"),
			`{"type":"object","properties":{"a":{"type":"string"}},"unevaluatedProperties":false}`},
		{"references in one spelling", "$defs: {'a/b': {type: string}}\n" + properties("a: {$ref: '#/%24defs/a~1b'}"),
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/a~1b"}},"unevaluatedProperties":false,"$defs":{"a/b":{"type":"string"}}}`},
	})
}

func TestObjectsAreClosedWhereTheyStand(t *testing.T) {
	t.Parallel()
	checkHandedOut(t, schema.Options{}, []handed{
		{"each by itself", "schema: {properties: {b: {type: string}, a: {properties: {}, type: object}}, type: object}",
			`{"properties":{"b":{"type":"string"},"a":{"properties":{},"type":"object","unevaluatedProperties":false}},"type":"object","unevaluatedProperties":false}`},
		{"not what says of others", "schema: {type: object, additionalProperties: false, properties: {a: {type: object, properties: {}, additionalProperties: {type: string}}, b: {type: object}}}",
			`{"type":"object","additionalProperties":false,"properties":{"a":{"type":"object","properties":{},"additionalProperties":{"type":"string"}},"b":{"type":"object"}}}`},
		{"at the top of a composition", properties("a: {oneOf: [{type: object, properties: {b: {type: string}}}, {type: object, properties: {c: {type: string}}}]}"),
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"object","properties":{"b":{"type":"string"}}},{"type":"object","properties":{"c":{"type":"string"}}}],"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
		{"beside a definition that is also a part", "$defs: {A: {type: object, properties: {}}}\n" + properties("a: {$ref: '#/$defs/A'}, b: {anyOf: [{$ref: '#/$defs/A'}, {type: 'null'}], default: null}"),
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A","unevaluatedProperties":false},"b":{"anyOf":[{"$ref":"#/$defs/A"},{"type":"null"}],"default":null,"unevaluatedProperties":false}},"unevaluatedProperties":false,` +
				`"$defs":{"A":{"type":"object","properties":{}}}}`},
		{"not where more is said of what a property holds deeper down", properties("a: {type: object, properties: {b: {type: object, properties: {c: {type: object, properties: {d: {}, e: {}}}}}}, allOf: [{properties: {b: {properties: {c: {properties: {d: {const: 1}}}}}}}]}"),
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"object","properties":{"d":{},"e":{}},"unevaluatedProperties":false}},"unevaluatedProperties":false}},` +
				`"allOf":[{"properties":{"b":{"properties":{"c":{"properties":{"d":{"const":1}}}}}}}],"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
		{"not in what only decides", properties("a: {type: object, properties: {b: {type: string}}, not: {properties: {b: {type: object, properties: {}}}}}"),
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}},"not":{"properties":{"b":{"type":"object","properties":{}}}},"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
		{"not where a part says more about a member", properties("a: {type: object, properties: {b: {type: object, properties: {c: {type: string}}}}, allOf: [{properties: {b: {properties: {c: {minLength: 1}}}}}]}"),
			`{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"object","properties":{"c":{"type":"string"}},"unevaluatedProperties":false}},"allOf":[{"properties":{"b":{"properties":{"c":{"minLength":1}}}}}],"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
		{"not where a pattern says more about a member that is named", "schema: {type: object, properties: {ab: {type: object, properties: {}}}, patternProperties: {^a: {type: object, properties: {}}, ^b: {type: object, properties: {}}}}",
			`{"type":"object","properties":{"ab":{"type":"object","properties":{},"unevaluatedProperties":false}},"patternProperties":{"^a":{"type":"object","properties":{}},"^b":{"type":"object","properties":{},"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
		{"values in maps and lists", properties("a: {type: object, additionalProperties: {type: object, properties: {}}}, b: {type: array, items: {type: object, properties: {}}}"),
			`{"type":"object","properties":{"a":{"type":"object","additionalProperties":{"type":"object","properties":{},"unevaluatedProperties":false}},"b":{"type":"array","items":{"type":"object","properties":{},"unevaluatedProperties":false}}},"unevaluatedProperties":false}`},
	})
}

func TestNothingIsClosedThatIsToBeOpen(t *testing.T) {
	t.Parallel()
	checkHandedOut(t, schema.Options{Open: true}, []handed{
		{"at any depth", properties("a: {type: object, properties: {}}"), `{"type":"object","properties":{"a":{"type":"object","properties":{}}}}`},
	})
}

// A server and its clients know an argument object by its type alone.
func TestRootsAreHandedOutAsObjectsByType(t *testing.T) {
	t.Parallel()
	checkHandedOut(t, schema.Options{}, []handed{
		{"in a list of types", "schema: {type: [object], properties: {}}", `{"type":"object","properties":{},"unevaluatedProperties":false}`},
		{"the only type that is left", "schema: {type: [object, string], allOf: [{type: [object, array]}], properties: {}}",
			`{"type":"object","allOf":[{"type":["object","array"],"items":{}}],"properties":{},"unevaluatedProperties":false}`},
		{"in a part", "schema: {allOf: [{type: object}], properties: {}}", `{"type":"object","allOf":[{"type":"object"}],"properties":{},"unevaluatedProperties":false}`},
		{"as a value", "schema: {const: {a: 1}, properties: {a: {type: string, const: x, default: x}}}",
			`{"type":"object","const":{"a":1},"properties":{"a":{"type":"string","const":"x","default":"x"}},"unevaluatedProperties":false}`},
	})
	root, _ := readAs(t, "schema: {allOf: [{type: object}], properties: {}}", schema.Options{Arguments: true})
	if diff := cmp.Diff(`{"type":"object","properties":{},"unevaluatedProperties":false}`, string(root.Arguments)); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
}

func TestArgumentsAreShownWithoutWhatComposesTheRoot(t *testing.T) {
	t.Parallel()
	for _, test := range []handed{
		{"nothing to leave out", properties("a: {anyOf: [{type: string}, {type: integer}]}"), ""},
		{"what brings no members", "schema: {type: object, properties: {a: {type: string}, b: {type: string}}, anyOf: [{required: [a]}, {required: [b]}]}",
			`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"unevaluatedProperties":false}`},
		{"what brings members", "schema: {type: object, properties: {a: {type: string}}, oneOf: [{properties: {b: {type: string}}}, {properties: {c: {type: string}}}]}",
			`{"type":"object","properties":{"a":{"type":"string"}}}`},
		{"what is referred to", "schema: {type: object, properties: {a: {$ref: '#/allOf/0/properties/b', description: x}}, allOf: [{properties: {b: {type: string}}}]}",
			`{"type":"object","properties":{"a":{"description":"x"}}}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, _ := readAs(t, test.src, schema.Options{Arguments: true})
			if diff := cmp.Diff(test.want, string(root.Arguments)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// What is handed out for one root does not depend on what another makes of the definitions they share: an approval is
// bound to it.
func TestRootsDoNotChangeWhatIsHandedOutForEachOther(t *testing.T) {
	t.Parallel()
	tree := parse(t, `
$defs: {A: {type: integer}, B: {type: object, properties: {}}}
plain: {type: object, properties: {a: {$ref: '#/$defs/A'}, b: {$ref: '#/$defs/B'}}}
composed: {type: object, properties: {a: {anyOf: [{$ref: '#/$defs/A'}, {$ref: '#/$defs/B'}]}}}
`)
	handedOut := func(order ...string) map[string]string {
		reader := schema.NewReader(tree.Get("$defs"))
		all := map[string]string{}
		for _, name := range order {
			all[name] = string(reader.Read(tree.Get(name), place, schema.Options{Open: name == "composed"}).JSON)
		}
		return all
	}
	if diff := cmp.Diff(handedOut("plain", "composed"), handedOut("composed", "plain")); diff != "" {
		t.Errorf("in one order (-) and the other (+):\n%s", diff)
	}
}
