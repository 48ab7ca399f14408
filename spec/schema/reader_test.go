package schema_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// place is that of the payload of an operation called set_thing.
var place = schema.Place{Words: words("set_thing", "Payload"), Prefix: words("set_thing"), Path: "payload"}

func words(texts ...string) []schema.Word {
	all := make([]schema.Word, len(texts))
	for i, text := range texts {
		all[i] = schema.Word{Text: text}
	}
	return all
}

// parse reads a document with a schema under the key schema, and $defs beside it.
func parse(t *testing.T, src string) *document.Node {
	t.Helper()
	tree, faults := document.Read("f.yaml", []byte(src))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return tree
}

// read reads an object schema that must be without fault.
func read(t *testing.T, src string) (schema.Root, *schema.Reader) {
	t.Helper()
	tree := parse(t, src)
	reader := schema.NewReader(tree.Get("$defs"))
	root := reader.Read(tree.Get("schema"), place, schema.OneObject)
	faults := slices.Concat(reader.Faults(), schema.Name(root.Named), schema.Name(reader.Defs()))
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	return root, reader
}

// properties is a document whose schema has properties, written in flow style.
func properties(flow string) string { return "schema: {type: object, properties: {" + flow + "}}" }

// sketch is a type in a few words: what tests compare.
func sketch(u schema.Use) string {
	var s string
	switch t := u.Type; t.Kind {
	case schema.Object:
		var fields []string
		for _, f := range t.Fields {
			optional := ""
			if !f.Required {
				optional = "?"
			}
			fields = append(fields, f.GoName+optional+" "+sketch(f.Use))
		}
		s = t.GoName + "{" + strings.Join(fields, ", ") + "}"
	case schema.Array:
		s = t.GoName + "[" + sketch(t.Elem) + "]"
	case schema.Enum:
		var values []string
		for _, v := range t.Values {
			values = append(values, v.GoName+"="+v.Text)
		}
		s = t.GoName + "(" + strings.Join(values, "|") + ")"
	default:
		s = strings.TrimPrefix(strings.TrimPrefix(t.Kind.String(), "an "), "a ")
	}
	if u.Nullable {
		s += " or null"
	}
	return s
}

func TestReadGivesGoTypes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, src, want string }{
		{"scalars", properties("a: {type: string}, b: {type: integer}, c: {type: number}, d: {type: boolean}"),
			"SetThingPayload{A? string, B? integer, C? number, D? boolean}"},
		{"required", "schema: {type: object, required: [a], properties: {a: {type: string}}}", "SetThingPayload{A string}"},
		{"a default is always there", properties("a: {type: integer, default: 5}"), "SetThingPayload{A integer}"},
		{"null in the type", "schema: {type: object, required: [a], properties: {a: {type: [string, 'null']}}}", "SetThingPayload{A string or null}"},
		{"null beside the type", "schema: {type: object, required: [a], properties: {a: {anyOf: [{type: 'null'}, {type: integer}]}}}", "SetThingPayload{A integer or null}"},
		{"null with a default", properties("a: {type: [string, 'null'], default: null}"), "SetThingPayload{A string or null}"},
		{"an enum", properties("user_id: {type: string, enum: [a, b-c]}"), "SetThingPayload{UserID? SetThingUserID(SetThingUserIDA=a|SetThingUserIDBC=b-c)}"},
		{"an enum without a type", properties("k: {enum: [a]}"), "SetThingPayload{K? SetThingK(SetThingKA=a)}"},
		{"an enum with null", "schema: {type: object, required: [k], properties: {k: {enum: [a, null]}}}", "SetThingPayload{K SetThingK(SetThingKA=a) or null}"},
		{"an object within", properties("o: {type: object, required: [p], properties: {p: {type: object, properties: {q: {enum: [z]}}}}}"),
			"SetThingPayload{O? SetThingO{P SetThingOP{Q? SetThingOPQ(SetThingOPQZ=z)}}}"},
		{"arrays", properties("l: {type: array, items: {type: array, items: {enum: [a]}}}, m: {type: array, items: {type: object, properties: {}}}"),
			"SetThingPayload{L? [[SetThingLItemItem(SetThingLItemItemA=a)]], M? [SetThingMItem{}]}"},
		{"null in an array", properties("l: {type: array, items: {type: [string, 'null']}}"), "SetThingPayload{L? [string or null]}"},
		{"no properties", "schema: {type: object, properties: {}}", "SetThingPayload{}"},
		{"definitions of the document", "$defs: {Money: {type: object, properties: {c: {enum: [eur]}}}}\n" + properties("m: {$ref: '#/$defs/Money'}"),
			"SetThingPayload{M? Money{C? MoneyC(MoneyCEur=eur)}}"},
		{"its own definitions win", "$defs: {k: {type: string}}\nschema: {type: object, properties: {k: {$ref: '#/$defs/k'}}, $defs: {k: {type: integer}}}",
			"SetThingPayload{K? integer}"},
		{"a definition that takes null", "$defs: {k: {type: [string, 'null']}}\nschema: {type: object, required: [k], properties: {k: {$ref: '#/$defs/k'}}}",
			"SetThingPayload{K string or null}"},
		{"a reference or null", "$defs: {k: {enum: [a]}}\nschema: {type: object, required: [k], properties: {k: {anyOf: [{$ref: '#/$defs/k'}, {type: 'null'}]}}}",
			"SetThingPayload{K K(KA=a) or null}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, _ := read(t, test.src)
			if got := sketch(schema.Use{Type: root.Type}); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

func TestReadListsNamedTypes(t *testing.T) {
	t.Parallel()
	root, reader := read(t, `
$defs:
  Unused: {enum: [a]}
  Money: {type: object, properties: {currency: {enum: [eur]}}}
  Kind: {enum: [a]}
schema:
  type: object
  properties:
    first: {type: object, properties: {k: {$ref: '#/$defs/Kind'}, own: {$ref: '#/$defs/Own'}}}
    second: {type: array, items: {enum: [x]}}
    third: {$ref: '#/$defs/Money'}
  $defs:
    Spare: {enum: [a]}
    Own: {enum: [a]}
`)
	type place struct{ GoName, Path string }
	places := func(types []*schema.Type) (all []place) {
		for _, t := range types {
			all = append(all, place{t.GoName, t.Path})
		}
		return all
	}
	want := []place{{"SetThingPayload", "payload"}, {"SetThingFirst", "payload.first"}, {"Own", "payload.$defs.Own"}, {"SetThingSecondItem", "payload.second[]"}}
	if diff := cmp.Diff(want, places(root.Named)); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	want = []place{{"Money", "$defs.Money"}, {"MoneyCurrency", "$defs.Money.currency"}, {"Kind", "$defs.Kind"}}
	if diff := cmp.Diff(want, places(reader.Defs())); diff != "" {
		t.Errorf("of the document (-want +got):\n%s", diff)
	}
}

func TestReadGivesAListOfObjectsItsName(t *testing.T) {
	t.Parallel()
	tree := parse(t, "schema: {type: array, items: {type: object, properties: {a: {enum: [x]}}}}")
	reader := schema.NewReader(nil)
	root := reader.Read(tree.Get("schema"), schema.Place{Words: words("things", "State"), Prefix: words("things", "State"), Path: "state"}, schema.ListOfObjects)
	schema.Name(root.Named)
	if len(reader.Faults()) > 0 {
		t.Fatal(reader.Faults())
	}
	if got, want := sketch(schema.Use{Type: root.Type}), "ThingsState[ThingsStateItem{A? ThingsStateItemA(ThingsStateItemAX=x)}]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if len(root.Named) != 3 || root.Named[0] != root.Type {
		t.Errorf("named: %v", root.Named)
	}
}

func TestReadTakesDescriptionsForDocs(t *testing.T) {
	t.Parallel()
	root, _ := read(t, `
$defs: {Money: {type: object, description: An amount., properties: {}}}
schema:
  type: object
  title: A thing
  properties:
    a: {type: string, description: " Which. "}
    b: {type: string, title: Its title}
    c: {$ref: '#/$defs/Money'}
    d: {$ref: '#/$defs/Money', description: Its price.}
    e: {anyOf: [{type: string, description: Inner.}, {type: 'null'}], default: null}
`)
	docs := []string{root.Type.Doc}
	for _, field := range root.Type.Fields {
		docs = append(docs, field.Doc)
	}
	want := []string{"A thing", "Which.", "Its title", "", "Its price.", "Inner."}
	if diff := cmp.Diff(want, docs); diff != "" {
		t.Errorf("docs (-want +got):\n%s", diff)
	}
}

func TestJSONIsTheAuthorsButClosedBoundedAndBundled(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, src, want string }{
		{"objects are closed", "schema: {properties: {b: {type: string}, a: {properties: {}, type: object}}, type: object}",
			`{"properties":{"b":{"type":"string"},"a":{"properties":{},"type":"object","unevaluatedProperties":false}},"type":"object","unevaluatedProperties":false}`},
		{"objects that are closed stay as they are", "schema: {type: object, additionalProperties: false, properties: {}}",
			`{"type":"object","additionalProperties":false,"properties":{}}`},
		{"numbers keep their digits", properties("a: {type: number, minimum: -1.50, maximum: 12345678901234567890.1, multipleOf: 1e-2, default: 1.0}"),
			`{"type":"object","properties":{"a":{"type":"number","minimum":-1.50,"maximum":12345678901234567890.1,"multipleOf":1e-2,"default":1.0}},"unevaluatedProperties":false}`},
		{"integers get the bounds of int64", properties("a: {type: integer}, b: {type: [integer, 'null'], default: 1}"),
			`{"type":"object","properties":{"a":{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},` +
				`"b":{"type":["integer","null"],"default":1,"minimum":-9223372036854775808,"maximum":9223372036854775807}},"unevaluatedProperties":false}`},
		{"narrower bounds stay", properties("a: {type: integer, exclusiveMinimum: 0}, b: {type: integer, minimum: 1, maximum: 2}"),
			`{"type":"object","properties":{"a":{"type":"integer","exclusiveMinimum":0,"maximum":9223372036854775807},` +
				`"b":{"type":"integer","minimum":1,"maximum":2}},"unevaluatedProperties":false}`},
		{"definitions in use are bundled", "$defs: {A: {$ref: '#/$defs/B'}, B: {type: object, properties: {}}, C: {type: string}}\n" + properties("a: {$ref: '#/$defs/A'}"),
			`{"type":"object","properties":{"a":{"$ref":"#/$defs/A"}},"unevaluatedProperties":false,` +
				`"$defs":{"A":{"$ref":"#/$defs/B"},"B":{"type":"object","properties":{},"unevaluatedProperties":false}}}`},
		{"beside its own", "$defs: {B: {type: integer, minimum: 1, maximum: 2}}\nschema: {type: object, $defs: {A: {type: string}}, properties: {a: {$ref: '#/$defs/A'}, b: {$ref: '#/$defs/B'}}}",
			`{"type":"object","$defs":{"A":{"type":"string"},"B":{"type":"integer","minimum":1,"maximum":2}},` +
				`"properties":{"a":{"$ref":"#/$defs/A"},"b":{"$ref":"#/$defs/B"}},"unevaluatedProperties":false}`},
		{"a default is no schema", properties("a: {type: object, properties: {properties: {type: string}}, default: {properties: x}}"),
			`{"type":"object","properties":{"a":{"type":"object","properties":{"properties":{"type":"string"}},"default":{"properties":"x"},"unevaluatedProperties":false}},"unevaluatedProperties":false}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root, _ := read(t, test.src)
			if diff := cmp.Diff(test.want, string(root.JSON)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBoundsThatCanBeMetAreAccepted(t *testing.T) {
	t.Parallel()
	for _, src := range []string{
		"schema: {type: object, minProperties: 2, maxProperties: 2, required: [a], properties: {a: {type: string}, b: {type: string, default: x}, c: {type: string}}}",
		properties("a: {type: string, enum: [ab, äöüß], minLength: 2, maxLength: 4, pattern: '^[a-zäöüß]+$'}"),
		"$defs: {A: {enum: [a, b, null]}}\n" + properties("a: {type: array, items: {$ref: '#/$defs/A'}, uniqueItems: true, minItems: 3}, b: {type: array, items: {type: boolean}, minItems: 3}"),
		properties("a: {type: integer, minimum: 1, maximum: 5, multipleOf: 5}, b: {type: integer, minimum: 1, maximum: 3, multipleOf: 1.5}, c: {type: number, minimum: 0.1, exclusiveMaximum: 0.2, multipleOf: 0.1}, d: {type: integer, minimum: -4, maximum: 4, multipleOf: 5}"),
	} {
		read(t, src)
	}
}

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

func TestReadSaysWhatIsNotSupported(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, src string
		want      []string // where, and code
	}{
		{"root that is no object", "schema: {type: string}", []string{"schema CS1315"}},
		{"root that takes null", "schema: {type: [object, 'null'], properties: {}}", []string{"schema CS1315"}},
		{"root that is a reference", "$defs: {A: {type: object, properties: {}}}\nschema: {$ref: '#/$defs/A'}", []string{"schema.$ref CS1315"}},
		{"boolean root", "schema: true", []string{"schema CS1303"}},
		{"no type", properties("a: {}"), []string{"schema.properties.a CS1303"}},
		{"choice of types", properties("a: {type: [string, integer]}"), []string{"schema.properties.a.type CS1303"}},
		{"only null", properties("a: {type: 'null'}"), []string{"schema.properties.a.type CS1303"}},
		{"union", properties("a: {anyOf: [{type: string}, {type: integer}]}"), []string{"schema.properties.a.anyOf CS1303"}},
		{"union of three", properties("a: {anyOf: [{type: string}, {type: integer}, {type: 'null'}]}"), []string{"schema.properties.a.anyOf CS1303"}},
		{"beside a union", properties("a: {minLength: 1, anyOf: [{type: string}, {type: 'null'}], default: null}"), []string{"schema.properties.a.minLength CS1301"}},
		{"beside a reference", "$defs: {A: {type: string}}\n" + properties("a: {$ref: '#/$defs/A', minLength: 1, description: x}"), []string{"schema.properties.a.minLength CS1301"}},
		{"map", properties("a: {type: object, additionalProperties: {type: string}}"), []string{"schema.properties.a CS1303", "schema.properties.a.additionalProperties CS1301"}},
		{"open object", properties("a: {type: object, properties: {}, unevaluatedProperties: true}"), []string{"schema.properties.a.unevaluatedProperties CS1301"}},
		{"array of anything", properties("a: {type: array}"), []string{"schema.properties.a CS1303"}},
		{"composition", properties("a: {type: object, properties: {}, allOf: []}"), []string{"schema.properties.a.allOf CS1301"}},
		{"unknown keyword", properties("a: {type: string, maxlength: 3}"), []string{"schema.properties.a.maxlength CS1302"}},
		{"extension", properties("a: {type: string, x-order: 3}"), []string{"schema.properties.a.x-order CS1301"}},
		{"other dialect", "schema: {$schema: 'http://json-schema.org/draft-07/schema#', type: object, properties: {}}", []string{"schema.$schema CS1301"}},
		{"enum of numbers", properties("a: {type: integer, enum: [1]}"), []string{"schema.properties.a.enum CS1304"}},
		{"enum of null alone", properties("a: {enum: [null]}"), []string{"schema.properties.a CS1310", "schema.properties.a.enum CS1304"}},
		{"null in the enum only", properties("a: {type: string, enum: [a, null]}"), []string{"schema.properties.a.enum CS1304"}},
		{"null in the type only", "schema: {type: object, required: [a], properties: {a: {type: [string, 'null'], enum: [a]}}}", []string{"schema.properties.a.enum CS1304"}},
		{"keyword of another type", properties("a: {type: string, minimum: 3}"), []string{"schema.properties.a.minimum CS1312"}},
		{"bounds that meet and exclude", properties("a: {type: number, minimum: 3, exclusiveMaximum: 3}"), []string{"schema.properties.a.minimum CS1305"}},
		{"no integer between fractions", properties("a: {type: integer, minimum: 1.1, maximum: 1.9}"), []string{"schema.properties.a.minimum CS1305"}},
		{"negative fractions", properties("a: {type: integer, minimum: -1.9, maximum: -1.1}"), []string{"schema.properties.a.minimum CS1305"}},
		{"counts beyond counting", "schema: {type: object, maxProperties: 1000000000, properties: {a: {type: string, minLength: 99999999999, maxLength: 3e9}, b: {type: array, items: {type: string}, minItems: 1e300, maxItems: 3e300}, c: {type: string, minLength: 999999999}}}",
			[]string{"schema.maxProperties CS1105", "schema.properties.a.minLength CS1105", "schema.properties.a.maxLength CS1105", "schema.properties.a.minLength CS1305", "schema.properties.b.minItems CS1105", "schema.properties.b.maxItems CS1105"}},
		{"definitions that no reference can name", "$defs: {'a%b': {type: string}, '': {enum: [a]}}\nschema: {type: object, properties: {a: {$ref: '#/$defs/a%b'}, b: {$ref: '#/$defs/ä'}, c: {$ref: '#/$defs/a%41'}}, $defs: {ä: {type: string}}}",
			[]string{"$defs.'' CS1401", "$defs.a%b CS1401", "schema.$defs.ä CS1401", "schema.properties.c.$ref CS1308"}},
		{"default with members that a closed object does not have", properties("a: {type: object, properties: {b: {type: string}}, default: {z: 1}}, l: {type: array, items: {type: object, properties: {b: {type: string}}}, default: [{}, {b: x, 'z/%': 1}]}"),
			[]string{"schema.properties.a.default.z CS1306", "schema.properties.l.default[1].z/% CS1306"}},
		{"dialect with a fragment", "schema: {$schema: 'https://json-schema.org/draft/2020-12/schema#', type: object, properties: {}}", []string{"schema.$schema CS1301"}},
		{"more required than allowed", "schema: {type: object, maxProperties: 1, required: [a], properties: {a: {type: string}, b: {type: string, default: x}}}", []string{"schema.maxProperties CS1305"}},
		{"more needed than named", properties("a: {type: object, minProperties: 2, properties: {b: {type: string}}}"), []string{"schema.properties.a.minProperties CS1305"}},
		{"values that bounds exclude", properties("a: {type: string, enum: [x, äöü, yyyyy, Ab], minLength: 2, maxLength: 4, pattern: '^[a-zäöü]+$'}"),
			[]string{"schema.properties.a.enum[0] CS1305", "schema.properties.a.enum[2] CS1305", "schema.properties.a.enum[3] CS1305"}},
		{"more different items than there are", "$defs: {A: {enum: [a, b, null]}}\n" + properties("a: {type: array, items: {$ref: '#/$defs/A'}, uniqueItems: true, minItems: 4}, b: {type: array, items: {type: boolean}, uniqueItems: true, minItems: 3}"),
			[]string{"schema.properties.a.minItems CS1305", "schema.properties.b.minItems CS1305"}},
		{"no multiple in a range", properties("a: {type: integer, minimum: 1, maximum: 4, multipleOf: 5}, b: {type: integer, minimum: 1, maximum: 2, multipleOf: 1.5}, c: {type: number, exclusiveMinimum: 0.1, exclusiveMaximum: 0.2, multipleOf: 0.1}"),
			[]string{"schema.properties.a.multipleOf CS1305", "schema.properties.b.multipleOf CS1305", "schema.properties.c.multipleOf CS1305"}},
		{"counts", properties("a: {type: array, items: {type: string}, minItems: 2, maxItems: 1}"), []string{"schema.properties.a.minItems CS1305"}},
		{"integer beyond 64 bits", properties("a: {type: integer, minimum: -9223372036854775809}"), []string{"schema.properties.a.minimum CS1313"}},
		{"default of the wrong type", properties("a: {type: string, default: 3}"), []string{"schema.properties.a.default CS1306"}},
		{"default within a definition", "$defs: {A: {type: string, default: 3}}\n" + properties("a: {$ref: '#/$defs/A'}"), []string{"$defs.A.default CS1306"}},
		{"reference to nothing", properties("a: {$ref: '#/$defs/A'}"), []string{"schema.properties.a.$ref CS1308"}},
		{"reference into a definition", "$defs: {A: {type: object, properties: {b: {type: string}}}}\n" + properties("a: {$ref: '#/$defs/A/properties/b'}"), []string{"schema.properties.a.$ref CS1308"}},
		{"reference to the whole", properties("a: {$ref: '#'}"), []string{"schema.properties.a.$ref CS1308"}},
		{"recursion", "$defs: {A: {type: array, items: {$ref: '#/$defs/B'}}, B: {type: array, items: {$ref: '#/$defs/A'}}}\n" + properties("a: {$ref: '#/$defs/A'}"), []string{"$defs.B.items.$ref CS1309"}},
		{"recursion of its own", "schema: {type: object, properties: {a: {$ref: '#/$defs/A'}}, $defs: {A: {type: array, items: {$ref: '#/$defs/A'}}}}", []string{"schema.$defs.A.items.$ref CS1309"}},
		{"ambiguous name", "$defs: {A: {type: array, items: {$ref: '#/$defs/B'}}, B: {type: string}}\nschema: {type: object, properties: {a: {$ref: '#/$defs/A'}}, $defs: {B: {type: integer}}}", []string{"schema.$defs.B CS1314"}},
		{"fault in an unused definition of its own", "schema: {type: object, properties: {}, $defs: {A: {}}}", []string{"schema.$defs.A CS1303"}},
		{"a property that no struct tag can name", properties("'a,b': {type: string}"), []string{"schema.properties.a,b CS1401"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree := parse(t, test.src)
			reader := schema.NewReader(tree.Get("$defs"))
			root := reader.Read(tree.Get("schema"), place, schema.OneObject)
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
	tree := parse(t, "$defs: {A: {type: array}}\nschema: {type: object, properties: {}}")
	reader := schema.NewReader(tree.Get("$defs"))
	reader.Read(tree.Get("schema"), place, schema.OneObject)
	if types := reader.Defs(); len(types) > 0 {
		t.Errorf("types of an unused definition: %v", types)
	}
	if faults := reader.Faults(); len(faults) != 1 || faults[0].Code != diag.UnsupportedType {
		t.Errorf("faults = %v", faults)
	}
}
