package schema_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/spec/schema"
)

// sketched is a schema, and what its type is in a few words.
type sketched struct{ name, src, want string }

func checkSketches(t *testing.T, options schema.Options, tests []sketched) {
	t.Helper()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, _ := readAs(t, test.src, options)
			if got := sketch(root.Type); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestReadGivesGoTypes(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{}, []sketched{
		{"scalars", properties("a: {type: string}, b: {type: integer}, c: {type: number}, d: {type: boolean}"),
			"SetThingPayload{A? string, B? integer, C? number, D? boolean}"},
		{"required", "schema: {type: object, required: [a], properties: {a: {type: string}}}", "SetThingPayload{A string}"},
		{"a default is always there", properties("a: {type: integer, default: 5}"), "SetThingPayload{A integer}"},
		{"null in the type", "schema: {type: object, required: [a], properties: {a: {type: [string, 'null']}}}", "SetThingPayload{A string or null}"},
		{"null beside the type", "schema: {type: object, required: [a], properties: {a: {anyOf: [{type: 'null'}, {type: integer}]}}}", "SetThingPayload{A integer or null}"},
		{"null with a default", properties("a: {type: [string, 'null'], default: null}"), "SetThingPayload{A string or null}"},
		{"absent or null", properties("a: {type: [string, 'null']}, b: {oneOf: [{type: integer}, {type: 'null'}]}"), "SetThingPayload{A? string or null, B? integer or null}"},
		{"an object within", properties("o: {type: object, required: [p], properties: {p: {type: object, properties: {q: {enum: [z]}}}}}"),
			"SetThingPayload{O? SetThingO{P SetThingOP{Q? SetThingOPQ(SetThingOPQZ=z)}}}"},
		{"arrays", properties("l: {type: array, items: {type: array, items: {enum: [a]}}}, m: {type: array, items: {type: object, properties: {}}}"),
			"SetThingPayload{L? [[SetThingLItemItem(SetThingLItemItemA=a)]], M? [SetThingMItem{}]}"},
		{"null in an array", properties("l: {type: array, items: {type: [string, 'null']}}"), "SetThingPayload{L? [string or null]}"},
		{"no properties", "schema: {type: object, properties: {}}", "SetThingPayload{}"},
		{"integers beyond 64 bits", properties("a: {type: integer, maximum: 1e20}, b: {type: integer, x-go-type: number}, c: {type: [integer, number]}"),
			"SetThingPayload{A? wide, B? wide, C? number}"},
		{"a float that is asked for", properties("a: {type: number, x-go-type: float64}"), "SetThingPayload{A? float}"},
		{"date-times", properties("a: {type: string, format: date-time}, b: {type: string, format: date}"), "SetThingPayload{A? date-time, B? string}"},
		{"tuples", properties("a: {type: array, prefixItems: [{type: string}, {type: string}], items: {type: string}}, b: {type: array, prefixItems: [{type: string}], items: false}, c: {type: array, prefixItems: [{type: string}], items: {type: integer}}, d: {type: array, prefixItems: [{type: string}]}"),
			"SetThingPayload{A? [string], B? [string], C? [raw], D? [raw]}"},
	})
}

func TestReadGivesEnums(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{}, []sketched{
		{"of strings", properties("user_id: {type: string, enum: [a, b-c]}"), "SetThingPayload{UserID? SetThingUserID(SetThingUserIDA=a|SetThingUserIDBC=b-c)}"},
		{"without a type", properties("k: {enum: [a]}"), "SetThingPayload{K? SetThingK(SetThingKA=a)}"},
		{"with null", "schema: {type: object, required: [k], properties: {k: {enum: [a, null]}}}", "SetThingPayload{K SetThingK(SetThingKA=a) or null}"},
		{"of integers", properties("a: {enum: [1, 20]}, b: {type: integer, enum: [3.0]}, c: {enum: [9223372036854775808]}"),
			"SetThingPayload{A? SetThingA(SetThingA1=1|SetThingA20=20), B? SetThingB(SetThingB3=3), C? wide}"},
		{"of numbers and booleans", properties("a: {enum: [1, 2.5]}, b: {type: number, enum: [1]}, c: {enum: [true]}"), "SetThingPayload{A? number, B? number, C? boolean}"},
		{"of what has no type", properties("a: {enum: [1, x]}, b: {enum: [[1]]}, c: {enum: [null]}, d: {const: {a: 1}}"), "SetThingPayload{A? raw, B? raw, C? raw, D? raw}"},
		{"a constant", properties("a: {const: x}, b: {const: 7}, c: {const: true}"), "SetThingPayload{A? SetThingA(SetThingAX=x), B? SetThingB(SetThingB7=7), C? boolean}"},
		{"of branches", properties("a: {oneOf: [{const: x, title: First}, {enum: [y]}, {type: 'null'}]}, b: {type: string, anyOf: [{const: x}, {minLength: 2}]}, c: {anyOf: [{const: 1}, {const: 2}, {const: 1}]}"),
			"SetThingPayload{A? SetThingA(SetThingAX=x|SetThingAY=y) or null, B? string, C? SetThingC(SetThingC1=1|SetThingC2=2)}"},
		{"without constants", properties("a: {type: string, enum: [x, y], x-go-type: string}"), "SetThingPayload{A? string}"},
	})
}

func TestReadGivesMapsAndOpenObjects(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{}, []sketched{
		{"a map", properties("a: {type: object, additionalProperties: {type: integer}}"), "SetThingPayload{A? map[integer]}"},
		{"a free map", properties("a: {type: object}, b: {type: object, additionalProperties: true}"), "SetThingPayload{A? map[raw], B? map[raw]}"},
		{"a map of objects", properties("a: {type: object, additionalProperties: {type: object, properties: {b: {type: string}}}}"), "SetThingPayload{A? map[SetThingAValue{B? string}]}"},
		{"a map of what may be null", properties("a: {type: object, additionalProperties: {type: [string, 'null']}}"), "SetThingPayload{A? map[string or null]}"},
		{"a lone pattern that nothing escapes", properties("a: {type: object, patternProperties: {'^x': {type: string}}, additionalProperties: false}"), "SetThingPayload{A? map[string]}"},
		{"a lone pattern", properties("a: {type: object, patternProperties: {'^x': {type: string}}}"), "SetThingPayload{A? map[raw]}"},
		{"patterns", properties("a: {type: object, patternProperties: {'^x': {type: string}, '^y': {type: integer}}, additionalProperties: false}"), "SetThingPayload{A? map[raw]}"},
		{"nothing at all", properties("a: {type: object, additionalProperties: false}"), "SetThingPayload{A? SetThingA{}}"},
		{"others of one type", properties("a: {type: object, properties: {b: {type: string}}, additionalProperties: {type: integer}}"), "SetThingPayload{A? SetThingA{B? string, … integer}}"},
		{"others with a pattern", properties("a: {type: object, properties: {b: {type: string}}, patternProperties: {'^x': {type: integer}}}"), "SetThingPayload{A? SetThingA{B? string, … integer}}"},
		{"others of any type", properties("a: {type: object, properties: {b: {type: string}}, additionalProperties: true}"), "SetThingPayload{A? SetThingA{B? string, … raw}}"},
		{"others that parts bring", properties("a: {type: object, properties: {b: {type: string}}, anyOf: [{properties: {c: {type: string}}}, {required: [b]}]}"), "SetThingPayload{A? SetThingA{B? string, … raw}}"},
		{"parts that bring nothing", properties("a: {type: object, properties: {b: {type: string}, c: {type: string}}, anyOf: [{required: [b]}, {required: [c]}]}"), "SetThingPayload{A? SetThingA{B? string, C? string}}"},
		{"names that no field can have", properties("'a,b': {type: string}, c: {type: string}"), "SetThingPayload{C? string, … raw}"},
		{"a free root", "schema: {type: object}", "SetThingPayload{… raw}"},
	})
}

func TestReadOpensObjectsThatAreNotToBeClosed(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{Open: true}, []sketched{
		{"own", properties("a: {type: object, properties: {}}, b: {type: object, properties: {}, additionalProperties: false}"), "SetThingPayload{A? SetThingA{… raw}, B? SetThingB{}, … raw}"},
		{"of the document", "$defs: {A: {type: object, properties: {}}}\n" + properties("a: {$ref: '#/$defs/A'}"), "SetThingPayload{A? A{… raw}, … raw}"},
	})
}

func TestReadGivesRawWhereNoTypeHoldsAllValues(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{}, []sketched{
		{"no type", properties("a: {}, b: {minLength: 1}, c: true, d: false, e: {type: 'null'}"), "SetThingPayload{A? raw, B? raw, C? raw, D? raw, E? raw}"},
		{"several types", properties("a: {type: [string, integer]}, b: {anyOf: [{type: string}, {type: object, properties: {}}]}"), "SetThingPayload{A? raw, B? raw}"},
		{"properties without a type", properties("a: {properties: {b: {type: string}}}"), "SetThingPayload{A? raw}"},
		{"objects that nothing tells apart", properties("a: {oneOf: [{type: object, properties: {b: {type: string}}}, {type: object, properties: {c: {type: string}}}]}"), "SetThingPayload{A? raw}"},
		{"what is composed", properties("a: {allOf: [{type: object, properties: {b: {type: string}}}, {type: object, properties: {c: {type: string}}}]}"), "SetThingPayload{A? raw}"},
		{"what is asked for", properties("a: {type: string, x-go-type: raw}"), "SetThingPayload{A? raw}"},
	})
}

func TestReadSeesThroughCompositions(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{}, []sketched{
		{"one schema alone", properties("a: {allOf: [{type: integer}]}, b: {anyOf: [{type: object, properties: {}}]}"), "SetThingPayload{A? integer, B? SetThingB{}}"},
		{"integers of which a part goes beyond 64 bits", properties("a: {anyOf: [{type: integer, maximum: 1e20}, {type: integer}]}, b: {allOf: [{type: integer}], maximum: 1e20}, c: {type: integer, if: {minimum: 3}, then: {maximum: 1e20}}, d: {anyOf: [{const: 100000000000000000000}, {type: integer}]}, e: {type: integer, minimum: 0, maximum: 9, anyOf: [{maximum: 1e20}, {}]}"),
			"SetThingPayload{A? wide, B? wide, C? wide, D? wide, E? integer}"},
		{"schemas of one type", properties("a: {anyOf: [{type: string, maxLength: 1}, {type: string, pattern: x}]}, b: {type: integer, not: {const: 3}}, c: {type: array, items: {type: string}, contains: {const: x}}"),
			"SetThingPayload{A? string, B? integer, C? [string]}"},
		{"items that are described twice", properties("a: {type: array, items: {type: object, properties: {b: {type: string}, c: {type: string}}}, allOf: [{items: {properties: {c: {maxLength: 3}}}}]}, " +
			"d: {type: array, anyOf: [{items: {type: object, properties: {b: {type: string}}}}], oneOf: [{items: {properties: {c: {type: string}}}}, {items: {minProperties: 1}}]}"),
			"SetThingPayload{A? [SetThingAItem{B? string, C? string}], D? [SetThingDItem{B? string, … raw}]}"},
		{"a condition on properties of its own", properties("a: {type: object, properties: {b: {type: string}, c: {type: string}}, if: {properties: {b: {const: x}}}, then: {required: [c]}}"), "SetThingPayload{A? SetThingA{B? string, C? string}}"},
		{"a condition", properties("a: {type: object, properties: {b: {type: string}}, if: {required: [b]}, then: {minProperties: 1}, dependentRequired: {b: [b]}, propertyNames: {maxLength: 3}}"), "SetThingPayload{A? SetThingA{B? string}}"},
		{"a reference with more beside it", "$defs: {A: {type: object, properties: {b: {type: string}}}}\n" + properties("a: {$ref: '#/$defs/A', required: [b]}, c: {$ref: '#/$defs/A', properties: {d: {type: string}}}"),
			"SetThingPayload{A? A{B? string}, C? SetThingC{D? string, … raw}}"},
	})
}

func TestReadGivesUnions(t *testing.T) {
	t.Parallel()
	const branches = "{type: object, required: [kind, x], properties: {kind: {const: a}, x: {type: string}}}, {type: object, required: [kind], properties: {kind: {enum: [b]}, y: {type: integer, default: 1}}}"
	checkSketches(t, schema.Options{}, []sketched{
		{"written out", properties("u: {oneOf: [" + branches + "]}"),
			"SetThingPayload{U? SetThingU<kind: A=a SetThingUA{Kind SetThingUAKind(SetThingUAKindA=a), X string} | B=b SetThingUB{Kind SetThingUBKind(SetThingUBKindB=b), Y? integer}>}"},
		{"or null", properties("u: {anyOf: [" + branches + ", {type: 'null'}]}"),
			"SetThingPayload{U? SetThingU<kind: A=a SetThingUA{Kind SetThingUAKind(SetThingUAKindA=a), X string} | B=b SetThingUB{Kind SetThingUBKind(SetThingUBKindB=b), Y? integer}> or null}"},
		{"of definitions", "$defs: {A: {type: object, required: [k], properties: {k: {const: a}}}, B: {type: object, required: [k], properties: {k: {$ref: '#/$defs/K'}}}, K: {const: b}}\n" +
			properties("u: {type: object, oneOf: [{$ref: '#/$defs/A'}, {$ref: '#/$defs/B'}]}"),
			"SetThingPayload{U? SetThingU<k: A=a A{K AK(AKA=a)} | B=b B{K K(KB=b)}>}"},
		{"with the type above", properties("u: {type: object, oneOf: [{required: [k], properties: {k: {const: a}}}, {required: [k], properties: {k: {const: b}}}]}"),
			"SetThingPayload{U? SetThingU<k: A=a SetThingUA{K SetThingUAK(SetThingUAKA=a)} | B=b SetThingUB{K SetThingUBK(SetThingUBKB=b)}>}"},
		{"not where the property is optional", properties("u: {oneOf: [{type: object, properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: b}}}]}"), "SetThingPayload{U? raw}"},
		{"not where a value stands twice", properties("u: {oneOf: [{type: object, required: [k], properties: {k: {const: a}}}, {type: object, required: [k], properties: {k: {const: a}}}]}"), "SetThingPayload{U? raw}"},
	})
}

func TestReadFollowsReferences(t *testing.T) {
	t.Parallel()
	checkSketches(t, schema.Options{}, []sketched{
		{"definitions of the document", "$defs: {Money: {type: object, properties: {c: {enum: [eur]}}}}\n" + properties("m: {$ref: '#/$defs/Money'}"),
			"SetThingPayload{M? Money{C? MoneyC(MoneyCEur=eur)}}"},
		{"its own definitions win", "$defs: {k: {type: string}}\nschema: {type: object, properties: {k: {$ref: '#/$defs/k'}}, $defs: {k: {type: integer}}}",
			"SetThingPayload{K? integer}"},
		{"a definition that takes null", "$defs: {k: {type: [string, 'null']}}\nschema: {type: object, required: [k], properties: {k: {$ref: '#/$defs/k'}}}",
			"SetThingPayload{K string or null}"},
		{"a reference or null", "$defs: {k: {enum: [a]}}\nschema: {type: object, required: [k], properties: {k: {anyOf: [{$ref: '#/$defs/k'}, {type: 'null'}]}}}",
			"SetThingPayload{K K(KA=a) or null}"},
		{"into a schema", properties("a: {type: array, items: {type: object, properties: {b: {enum: [x]}}}}, c: {$ref: '#/properties/a/items'}, d: {$ref: '#/properties/a/items/properties/b'}"),
			"SetThingPayload{A? [SetThingAItem{B? SetThingAItemB(SetThingAItemBX=x)}], C? SetThingAItem, D? SetThingAItemB}"},
		{"with escapes", "$defs: {'a/b~c%d e': {enum: [x]}}\n" + properties("a: {$ref: '#/$defs/a~1b~0c%25d%20e'}"), "SetThingPayload{A? ABCDE(ABCDEX=x)}"},
		{"to the whole", properties("a: {$ref: '#'}"), "SetThingPayload{A? SetThingPayload}"},
		{"an object that contains itself", "$defs: {Node: {type: object, properties: {next: {$ref: '#/$defs/Node'}, all: {type: array, items: {$ref: '#/$defs/Node'}}}}}\n" + properties("a: {$ref: '#/$defs/Node'}"),
			"SetThingPayload{A? Node{Next? Node, All? [Node]}}"},
		{"a list that contains itself", "$defs: {Tree: {type: array, items: {$ref: '#/$defs/Tree'}}}\n" + properties("a: {$ref: '#/$defs/Tree'}"), "SetThingPayload{A? Tree[Tree]}"},
		{"lists round a ring", properties("a: {$ref: '#/$defs/A'}") + "\n$defs: {A: {type: array, items: {$ref: '#/$defs/B'}}, B: {type: object, additionalProperties: {$ref: '#/$defs/A'}}}", "SetThingPayload{A? A[map[A]]}"},
	})
}
