package schema_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/schema"
)

func TestBoundsThatCanBeMetAreAccepted(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"schema: {type: object, minProperties: 2, maxProperties: 2, required: [a], properties: {a: {type: string}, b: {type: string, default: x}, c: {type: string}}}",
		properties("a: {type: string, enum: [ab, äöüß], minLength: 2, maxLength: 4, pattern: '^[a-zäöüß]+$'}"),
		"$defs: {A: {enum: [a, b, null]}}\n" + properties("a: {type: array, items: {$ref: '#/$defs/A'}, uniqueItems: true, minItems: 3}, b: {type: array, items: {type: boolean}, minItems: 3}"),
		properties("a: {type: number, x-go-type: float64, enum: [0.1, 1e23, 1.50, 9007199254740992], default: 1e23, minimum: 0.01234567890123456789}, b: {type: number, default: 12345678901234567.1}"),
		properties("a: {type: integer, minimum: 1, maximum: 5, multipleOf: 5}, b: {type: integer, minimum: 1, maximum: 3, multipleOf: 1.5}, c: {type: number, minimum: 0.1, exclusiveMaximum: 0.2, multipleOf: 0.1}, d: {type: integer, minimum: -4, maximum: 4, multipleOf: 5}"),
	} {
		read(t, src)
	}
}

func TestReadSaysWhatIsWrongWithSchemas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		want      []string // where, and code
	}{
		{"root that is no object", "schema: {type: string}", []string{"schema CS1315"}},
		{"root that takes null", "schema: {type: [object, 'null'], properties: {}}", []string{"schema CS1315"}},
		{"root that is a reference", "$defs: {A: {type: object, properties: {}}}\nschema: {$ref: '#/$defs/A'}", []string{"schema.$ref CS1315"}},
		{"root that is a definition in a composition", "$defs: {A: {type: object, properties: {}}}\nschema: {allOf: [{$ref: '#/$defs/A'}]}", []string{"schema.allOf CS1315"}},
		{"root whose properties are in branches", "schema: {type: object, oneOf: [{properties: {a: {type: string}}}, {properties: {b: {type: string}}}]}", []string{"schema.oneOf CS1315"}},
		{"boolean root", "schema: true", []string{"schema CS1315"}},
		{"root without a type", "schema: {properties: {a: {type: string}}}", []string{"schema CS1315"}},
		{"unknown keyword", properties("a: {type: string, maxlength: 3}"), []string{"schema.properties.a.maxlength CS1302"}},
		{"unknown keyword in a part", properties("a: {not: {maxlength: 3}}"), []string{"schema.properties.a.not.maxlength CS1302"}},
		{"unknown extension of ours", properties("a: {type: string, x-go-nam: A}"), []string{"schema.properties.a.x-go-nam CS1302"}},
		{"keyword that is not supported", properties("a: {type: string, nullable: true}, b: {$id: x}"), []string{"schema.properties.a.nullable CS1301", "schema.properties.b.$id CS1301"}},
		{"other dialect", "schema: {$schema: 'http://json-schema.org/draft-07/schema#', type: object, properties: {}}", []string{"schema.$schema CS1301"}},
		{"dialect with a fragment", "schema: {$schema: 'https://json-schema.org/draft/2020-12/schema#', type: object, properties: {}}", []string{"schema.$schema CS1301"}},
		{"unknown format", properties("a: {type: string, format: datetime}, b: {type: string, format: date}"), []string{"schema.properties.a.format CS1319"}},
		{"pattern that is not RE2", properties("a: {type: string, pattern: '(?!a)'}, b: {type: object, patternProperties: {'(?=a)': {}}}"), []string{"schema.properties.a.pattern CS1311", "schema.properties.b.patternProperties.(?=a) CS1311"}},
		{"Go types that do not fit", properties("a: {type: string, x-go-type: number}, b: {type: number, x-go-type: float}, c: {type: string, x-go-type: string}, d: {x-go-type: float64}"),
			[]string{"schema.properties.a.x-go-type CS1320", "schema.properties.b.x-go-type CS1320", "schema.properties.c.x-go-type CS1320", "schema.properties.d.x-go-type CS1320"}},
		{"numbers that float64 does not hold", properties("a: {type: number, x-go-type: float64, default: 0.1}, b: {type: [number, 'null'], x-go-type: float64, enum: [12345678901234567, 0.1, null]}, c: {const: 1e-324, type: number, x-go-type: float64}"),
			[]string{"schema.properties.b.enum[0] CS1320", "schema.properties.c.const CS1320"}},
		{"default that float64 does not hold", properties("a: {type: number, x-go-type: float64, default: 0.12345678901234567890123}"), []string{"schema.properties.a.default CS1320"}},
		{"numbers that float64 does not hold within values", "$defs: {F: {type: number, x-go-type: float64}}\n" + properties("a: {type: object, properties: {f: {$ref: '#/$defs/F'}}, default: {f: 12345678901234567}}, b: {type: array, items: {type: object, additionalProperties: {$ref: '#/$defs/F'}}, default: [{}, {x: 12345678901234567}]}, d: {oneOf: [{type: object, required: [k], properties: {k: {const: x}, f: {$ref: '#/$defs/F'}}}, {type: object, required: [k], properties: {k: {const: y}, f: {type: number}}}], default: {k: x, f: 12345678901234567}}, e: {type: object, properties: {}, additionalProperties: {$ref: '#/$defs/F'}, default: {f: 12345678901234567}}, c: {allOf: [{$ref: '#/$defs/F'}], default: 12345678901234567}"),
			[]string{"schema.properties.a.default.f CS1320", "schema.properties.b.default[1].x CS1320", "schema.properties.d.default.f CS1320", "schema.properties.e.default.f CS1320", "schema.properties.c.default CS1320"}},
		{"enum without values", properties("a: {enum: []}"), []string{"schema.properties.a.enum CS1304"}},
		{"enum with a value twice", properties("a: {enum: [a, a]}, b: {enum: [1, 1.0]}, c: {enum: [{x: 1, y: 2}, {y: 2, x: 1}]}"),
			[]string{"schema.properties.a.enum[1] CS1304", "schema.properties.b.enum[1] CS1304", "schema.properties.c.enum[1] CS1304"}},
		{"null in the enum only", properties("a: {type: string, enum: [a, null]}"), []string{"schema.properties.a.enum CS1304"}},
		{"null in the type only", "schema: {type: object, required: [a], properties: {a: {type: [string, 'null'], enum: [a]}}}", []string{"schema.properties.a.enum CS1304"}},
		{"values of another type", properties("a: {type: integer, enum: [1, x]}, b: {type: string, const: 5}"), []string{"schema.properties.a.enum[1] CS1305", "schema.properties.b.const CS1305"}},
		{"keyword of another type", properties("a: {type: string, minimum: 3}, b: {type: [string, 'null'], items: {}}"), []string{"schema.properties.a.minimum CS1312", "schema.properties.b.items CS1312"}},
		{"bounds that meet and exclude", properties("a: {type: number, minimum: 3, exclusiveMaximum: 3}"), []string{"schema.properties.a.minimum CS1305"}},
		{"bounds without a type", properties("a: {anyOf: [{minimum: 3, maximum: 2}, {minContains: 2, maxContains: 1, contains: {}}]}"), []string{"schema.properties.a.anyOf[0].minimum CS1305", "schema.properties.a.anyOf[1].minContains CS1305"}},
		{"no integer between fractions", properties("a: {type: integer, minimum: 1.1, maximum: 1.9}"), []string{"schema.properties.a.minimum CS1305"}},
		{"negative fractions", properties("a: {type: integer, minimum: -1.9, maximum: -1.1}"), []string{"schema.properties.a.minimum CS1305"}},
		{"counts beyond counting", "schema: {type: object, maxProperties: 1000000000, properties: {a: {type: string, minLength: 99999999999, maxLength: 3e9}, b: {type: array, items: {type: string}, minItems: 1e300, maxItems: 3e300}, c: {type: string, minLength: 999999999}}}",
			[]string{"schema.maxProperties CS1105", "schema.properties.a.minLength CS1105", "schema.properties.a.maxLength CS1105", "schema.properties.a.minLength CS1305", "schema.properties.b.minItems CS1105", "schema.properties.b.maxItems CS1105"}},
		{"default with members that a closed object does not have", properties("a: {type: object, properties: {b: {type: string}}, default: {z: 1}}, l: {type: array, items: {type: object, properties: {b: {type: string}}}, default: [{}, {b: x, 'z/%': 1}]}"),
			[]string{"schema.properties.a.default.z CS1306", "schema.properties.l.default[1].z/% CS1306"}},
		{"more required than allowed", "schema: {type: object, maxProperties: 1, required: [a], properties: {a: {type: string}, b: {type: string, default: x}}}", []string{"schema.maxProperties CS1305"}},
		{"more needed than named", properties("a: {type: object, minProperties: 2, properties: {b: {type: string}}}"), []string{"schema.properties.a.minProperties CS1305"}},
		{"required that is no property", "schema: {type: object, required: [b], properties: {a: {type: object, additionalProperties: false, required: [c]}}, anyOf: [{required: [d]}, {properties: {e: {type: string}}, required: [e]}]}",
			[]string{"schema.required[0] CS1307", "schema.properties.a.required[0] CS1307", "schema.anyOf[0].required[0] CS1307"}},
		{"required beside a reference", "$defs: {A: {type: object, properties: {b: {type: string}}}}\n" + properties("a: {$ref: '#/$defs/A', required: [b, c]}"), []string{"schema.properties.a.required[1] CS1307"}},
		{"values that bounds exclude", properties("a: {type: string, enum: [x, äöü, yyyyy, Ab], minLength: 2, maxLength: 4, pattern: '^[a-zäöü]+$'}, b: {enum: [1, 3, 4], exclusiveMinimum: 1, maximum: 3, multipleOf: 3}"),
			[]string{"schema.properties.a.enum[0] CS1305", "schema.properties.a.enum[2] CS1305", "schema.properties.a.enum[3] CS1305",
				"schema.properties.b.enum[0] CS1305", "schema.properties.b.enum[0] CS1305", "schema.properties.b.enum[2] CS1305", "schema.properties.b.enum[2] CS1305"}},
		{"more different items than there are", "$defs: {A: {enum: [a, b, null]}}\n" + properties("a: {type: array, items: {$ref: '#/$defs/A'}, uniqueItems: true, minItems: 4}, b: {type: array, items: {type: boolean}, uniqueItems: true, minItems: 3}"),
			[]string{"schema.properties.a.minItems CS1305", "schema.properties.b.minItems CS1305"}},
		{"constant that is not in the enum", properties("a: {type: string, enum: [a, b], const: c}, b: {enum: [1, {x: 1}], const: {x: 1.0}}"), []string{"schema.properties.a.const CS1305"}},
		{"more items than there may be", properties("a: {type: array, items: false, minItems: 1}, b: {type: array, prefixItems: [{}, {}], items: false, minItems: 2}, c: {type: array, prefixItems: [{}, {}], items: false, minItems: 3}"),
			[]string{"schema.properties.a.minItems CS1305", "schema.properties.c.minItems CS1305"}},
		{"bounds in parts that always apply", "$defs: {A: {type: string, minLength: 5}, N: {type: integer, maximum: 3}}\n" + properties("a: {type: string, allOf: [{minLength: 5}, {maxLength: 3}]}, b: {$ref: '#/$defs/A', maxLength: 4}, c: {allOf: [{$ref: '#/$defs/N'}, {exclusiveMinimum: 3}]}, d: {type: string, anyOf: [{minLength: 5}, {maxLength: 3}]}, e: {allOf: [{$ref: '#/$defs/N'}, {minimum: 3}]}"),
			[]string{"schema.properties.a CS1305", "schema.properties.b CS1305", "schema.properties.c CS1305"}},
		{"no multiple in a range", properties("a: {type: integer, minimum: 1, maximum: 4, multipleOf: 5}, b: {type: integer, minimum: 1, maximum: 2, multipleOf: 1.5}, c: {type: number, exclusiveMinimum: 0.1, exclusiveMaximum: 0.2, multipleOf: 0.1}"),
			[]string{"schema.properties.a.multipleOf CS1305", "schema.properties.b.multipleOf CS1305", "schema.properties.c.multipleOf CS1305"}},
		{"counts", properties("a: {type: array, items: {type: string}, minItems: 2, maxItems: 1}"), []string{"schema.properties.a.minItems CS1305"}},
		{"default of the wrong type", properties("a: {type: string, default: 3}"), []string{"schema.properties.a.default CS1306"}},
		{"default within a definition", "$defs: {A: {type: string, default: 3}}\n" + properties("a: {$ref: '#/$defs/A'}"), []string{"$defs.A.default CS1306"}},
		{"default that is filled in where it does not fit", "$defs: {A: {type: integer, default: 3}}\n" + properties("a: {$ref: '#/$defs/A', minimum: 5}, b: {not: {properties: {c: {$ref: '#/$defs/A', minimum: 5}}}}"), []string{"schema.properties.a CS1306"}},
		{"default that lacks what has none", properties("a: {type: object, required: [b, c], properties: {b: {type: string, default: x}, c: {type: string}}, default: {}}"), []string{"schema.properties.a.default CS1306"}},
		{"default that holds itself", "$defs: {A: {type: [object, string], default: {}, properties: {b: {$ref: '#/$defs/A'}}}}\n" + properties("a: {$ref: '#/$defs/A'}"), []string{"$defs.A.default CS1306"}},
		{"reference to nothing", properties("a: {$ref: '#/$defs/A'}, b: {$ref: '#/properties/z'}, c: {$ref: '#/properties/a/type'}"),
			[]string{"schema.properties.a.$ref CS1308", "schema.properties.b.$ref CS1308", "schema.properties.c.$ref CS1308"}},
		{"reference that is no pointer", properties("a: {$ref: 'other.json'}, b: {$ref: '#name'}, c: {$ref: '#/%zz'}"),
			[]string{"schema.properties.a.$ref CS1308", "schema.properties.b.$ref CS1308", "schema.properties.c.$ref CS1308"}},
		{"reference from the document into a schema", "$defs: {A: {$ref: '#/properties/b'}, B: {$ref: '#'}}\n" + properties("a: {$ref: '#/$defs/A'}, b: {type: string}"), []string{"$defs.A.$ref CS1308", "$defs.B.$ref CS1308"}},
		{"reference to itself", "$defs: {A: {$ref: '#/$defs/B'}, B: {$ref: '#/$defs/A'}}\n" + properties("a: {allOf: [{$ref: '#/properties/a'}]}"), []string{"$defs.B.$ref CS1317", "schema.properties.a.allOf[0].$ref CS1317"}},
		{"object that needs itself", "$defs: {A: {type: object, required: [b], properties: {b: {$ref: '#/$defs/B'}}}, B: {type: object, required: [a], properties: {a: {type: array, minItems: 1, items: {$ref: '#/$defs/A'}}}}}\n" + properties("a: {$ref: '#/$defs/A'}"), []string{"$defs.B.properties.a CS1318"}},
		{"object that refuses what its parts name", "$defs: {B: {type: object, properties: {id: {type: integer}, none: false}}}\n" +
			properties("a: {type: object, allOf: [{$ref: '#/$defs/B'}], properties: {x: {type: string}}, additionalProperties: false}, "+
				"b: {type: object, properties: {x: {type: string}}, additionalProperties: false, if: {properties: {q: {const: 1}}}, then: {properties: {x: {minLength: 1}, y: {type: string}}}}, "+
				"c: {type: object, properties: {x: {type: string}}, patternProperties: {'^id$': {}}, additionalProperties: false, allOf: [{$ref: '#/$defs/B'}]}"),
			[]string{"schema.properties.a.additionalProperties CS1316", "schema.properties.b.additionalProperties CS1316"}},
		{"part that is closed where it stands", properties("a: {type: object, properties: {}}, b: {allOf: [{$ref: '#/properties/a'}, {properties: {c: {type: string}}}]}"), []string{"schema.properties.b.allOf[0].$ref CS1316"}},
		{"member that a closed object does not name", properties("c: {type: object, properties: {x: {type: object, properties: {p: {}}}}, allOf: [{properties: {x: {properties: {p: {}, q: {}, n: false}, required: [q, r]}}}]}"),
			[]string{"schema.properties.c.allOf[0].properties.x.properties.q CS1316", "schema.properties.c.allOf[0].properties.x.required[1] CS1307"}},
		{"member under a condition that a closed object does not name", "schema: {type: object, properties: {k: {type: string}, x: {type: object, properties: {p: {}}}}, if: {properties: {k: {const: a}}}, then: {properties: {x: {anyOf: [{properties: {q: {}}}, {required: [r]}]}}}}",
			[]string{"schema.then.properties.x.anyOf[0].properties.q CS1316", "schema.then.properties.x.anyOf[1].required[0] CS1307"}},
		{"member by a pattern that a closed object does not name", properties("c: {type: object, properties: {x: {type: object, properties: {p: {}}}}, patternProperties: {'^x': {type: object, properties: {q: {}}}}}"),
			[]string{"schema.properties.c.patternProperties.^x.properties.q CS1316"}},
		{"member by a pattern in a part", properties("c: {type: object, properties: {x: {type: object, properties: {p: {}}}}, allOf: [{patternProperties: {'^x': {properties: {q: {}}}, '^y': {properties: {q: {}}}}}]}, d: {type: object, patternProperties: {'^x': {type: object, properties: {p: {}}}}, allOf: [{properties: {x: {properties: {q: {}}}}}]}"),
			[]string{"schema.properties.c.allOf[0].patternProperties.^x.properties.q CS1316", "schema.properties.d.allOf[0].properties.x.properties.q CS1316"}},
		{"member deeper down", properties("c: {type: object, properties: {x: {type: object, properties: {y: {type: object, properties: {p: {}}}}}}, allOf: [{properties: {x: {properties: {y: {properties: {q: {}}}}}}}]}"),
			[]string{"schema.properties.c.allOf[0].properties.x.properties.y.properties.q CS1316"}},
		{"member in a definition that a closed object does not name", "$defs: {A: {properties: {x: {type: object, properties: {p: {}, q: {}}}}}}\n" + properties("c: {type: object, properties: {x: {type: object, properties: {p: {}, r: {}}}}, allOf: [{$ref: '#/$defs/A'}]}"),
			[]string{"$defs.A.properties.x.properties.q CS1316", "schema.properties.c.properties.x.properties.r CS1316"}},
		{"ambiguous name", "$defs: {A: {type: array, items: {$ref: '#/$defs/B'}}, B: {type: string}}\nschema: {type: object, properties: {a: {$ref: '#/$defs/A'}}, $defs: {B: {type: integer}}}", []string{"schema.$defs.B CS1314"}},
		{"fault in an unused definition of its own", "schema: {type: object, properties: {}, $defs: {A: {minlength: 1}}}", []string{"schema.$defs.A.minlength CS1302"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := parse(t, test.src)
			reader := schema.NewReader(tree.Get("$defs"))
			root := reader.Read(tree.Get("schema"), place, schema.Options{})
			reader.Defs()
			faults := reader.Faults()
			faults.Sort()
			var got []string
			for _, d := range faults {
				got = append(got, d.Where+" "+d.Code)
				if d.Pos.Line == 0 {
					t.Errorf("%v has no place", d)
				}
			}
			if diff := cmp.Diff(test.want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if root.JSON != nil && !strings.Contains(test.want[0], "$defs.A.") {
				t.Error("a schema at fault is handed out")
			}
		})
	}
}

func TestReadFindsFaultsOfUnusedDefinitions(t *testing.T) {
	t.Parallel()
	tree := parse(t, "$defs: {A: {type: object, properties: {}, required: [a], minimum: 3}}\nschema: {type: object, properties: {}}")
	reader := schema.NewReader(tree.Get("$defs"))
	reader.Read(tree.Get("schema"), place, schema.Options{})
	if types := reader.Defs(); len(types) > 0 {
		t.Errorf("types of an unused definition: %v", types)
	}
	var codes []string
	for _, d := range reader.Faults() {
		codes = append(codes, d.Code)
	}
	if diff := cmp.Diff([]string{diag.NoEffect, diag.RequiredUnknown}, codes); diff != "" {
		t.Errorf("codes (-want +got):\n%s", diff)
	}
}
