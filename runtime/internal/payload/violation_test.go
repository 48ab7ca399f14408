package payload_test

import (
	"errors"
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

const settingSchema = `{
	"type": "object",
	"required": ["key", "value"],
	"properties": {
		"key": {"type": "string", "enum": ["theme", "language", "timezone"]},
		"value": {"type": "string", "minLength": 1, "maxLength": 200}
	},
	"unevaluatedProperties": false
}`

const productSchema = `{
	"type": "object",
	"required": ["id", "name"],
	"properties": {
		"id": {"type": "integer", "minimum": -9223372036854775808, "maximum": 9223372036854775807},
		"name": {"type": "string", "minLength": 1},
		"price": {"type": "number", "minimum": 0},
		"active": {"type": "boolean", "default": true},
		"tags": {"type": "array", "items": {"type": "string"}, "maxItems": 3, "uniqueItems": true},
		"kind": {"enum": ["goods", "service", "bundle"]},
		"note": {"type": ["string", "null"]},
		"size": {"type": "object", "properties": {"unit": {"type": "string", "default": "mm"}, "next": {"$ref": "#/properties/size"}}}
	},
	"unevaluatedProperties": false
}`

const tagged = `{"properties":{"s":{"anyOf":[
	{"$ref":"#/$defs/circle"},
	{"type":"object","properties":{"type":{"enum":["square"]},"side":{"type":"number"}},"required":["type","side"]},
	{"type":"null"}
]}},"$defs":{"circle":{"type":"object","properties":{"type":{"const":"circle"},"r":{"type":"number"}},"required":["type","r"]}}}`

const filters = `{"$ref":"#/$defs/filter","$defs":{"filter":{"anyOf":[
	{"type":"object","required":["and"],"properties":{"and":{"items":{"$ref":"#/$defs/filter"}}},"additionalProperties":false},
	{"type":"object","required":["or"],"properties":{"or":{"items":{"$ref":"#/$defs/filter"}}},"additionalProperties":false},
	{"type":"object","required":["name","is"],"properties":{"name":{"type":"string"},"is":{"type":"string"}},"additionalProperties":false}
]}}}`

const dueSchema = `{
	"type": "object",
	"properties": {"due_date": {"type": "string"}, "clear_due": {"type": "boolean"}},
	"oneOf": [{"required": ["due_date"]}, {"required": ["clear_due"]}],
	"unevaluatedProperties": false
}`

const sizes = `{"anyOf":[{"type":"integer","minimum":1},{"enum":["auto","full"]},{"type":"null"}]}`

// violations fails the test if raw is accepted, or refused for another reason.
func violations(t *testing.T, schema, raw string) []payload.Violation {
	t.Helper()
	_, err := compile(t, schema).Accept([]byte(raw), exact.DefaultLimits)
	var invalid *payload.Invalid
	if !errors.As(err, &invalid) {
		t.Fatalf("Accept(%s): %v; want an *Invalid", raw, err)
	}
	return invalid.Violations
}

func TestEveryViolationIsReportedInOrder(t *testing.T) {
	t.Parallel()
	got := violations(t, settingSchema, `{"key":"colour","vlaue":"x","\u202e":1,"value":"`+strings.Repeat("x", 231)+`"}`)
	want := []payload.Violation{
		{
			Pointer: "/key", Expected: `one of "theme", "language", "timezone"`, Found: `"colour"`,
			Message: `/key: expected one of "theme", "language", "timezone", found "colour"`,
		}, {
			Pointer: "/value", Expected: "a string of at most 200 characters", Found: "231 characters",
			Message: "/value: expected a string of at most 200 characters, found 231 characters",
		}, {
			Pointer: "/vlaue", Expected: `one of the properties "key", "value"`, Found: `the property "vlaue"`, Meant: `"value"`,
			Message: `/vlaue: unknown property "vlaue"; did you mean "value"?`,
		}, {
			Pointer: "/\u202e", Expected: `one of the properties "key", "value"`, Found: `the property "\u202e"`,
			Message: `/\u202e: unknown property "\u202e"; the properties are "key", "value"`,
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestViolationsSayWhatToWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema, raw string
		want              []string // the messages
	}{
		{"missing properties", settingSchema, `{}`, []string{
			"/key: the property is required and missing", "/value: the property is required and missing"}},
		{"a name in another case", settingSchema, `{"key":"theme","value":"x","Value":"y"}`, []string{`/Value: unknown property "Value"; did you mean "value"?`}},
		{"a name that folds alike", settingSchema, "{\"\u212aey\":\"a\",\"key\":\"theme\",\"value\":\"x\"}", []string{"/\u212aey: unknown property \"\u212aey\"; did you mean \"key\"?"}},
		{"a kind", settingSchema, `[1]`, []string{"the whole value: expected an object, found [1]"}},
		{"kinds", productSchema, `{"id":"1","name":null,"active":"yes","price":[],"tags":{},"note":1}`, []string{
			`/active: expected true or false, found "yes"`, `/id: expected an integer, found "1"`, "/name: expected a string, found null",
			"/note: expected a string or null, found 1", "/price: expected a number, found []", "/tags: expected an array, found {}"}},
		{"an integer that is too large", productSchema, `{"id":9223372036854775808,"name":"x"}`, []string{
			"/id: expected an integer of at most 9223372036854775807, found 9223372036854775808"}},
		{"lists", productSchema, `{"id":1,"name":"x","tags":["a","b","a",4]}`, []string{
			"/tags: expected an array of at most 3 items, found 4 items", `/tags: expected an array without equal items, found items 0 and 2 equal: "a"`,
			"/tags/3: expected a string, found 4"}},
		{"something inside a recursive part", productSchema, `{"id":1,"name":"x","size":{"next":{"next":{"unit":1}}}}`, []string{"/size/next/next/unit: expected a string, found 1"}},
		{"strings", `{"properties":{"a":{"minLength":2},"b":{"pattern":"^\\d+$"},"c":{"const":"x"},"d":{"enum":["y"]}}}`, `{"a":"\u00e9","b":"\u0000","c":"\u202e","d":1}`, []string{
			"/a: expected a string of at least 2 characters, found 1 character", `/b: expected a string that matches the regular expression ^\d+$, found "\u0000"`,
			`/c: expected exactly "x", found "\u202e"`, `/d: expected exactly "y", found 1`}},
		{"numbers", `{"properties":{"a":{"minimum":1.50},"b":{"exclusiveMaximum":2},"c":{"exclusiveMinimum":2},"d":{"multipleOf":0.01}}}`, `{"a":1,"b":2,"c":2,"d":0.015}`, []string{
			"/a: expected a number of at least 1.5, found 1", "/b: expected a number less than 2, found 2",
			"/c: expected a number greater than 2, found 2", "/d: expected a number that is a multiple of 0.01, found 0.015"}},
		{"objects", `{"minProperties":1,"properties":{"a":{"maxProperties":1}}}`, `{"a":{"x":1,"y":2}}`, []string{"/a: expected an object of at most 1 property, found 2 properties"}},
		{"names", `{"propertyNames":{"maxLength":3,"pattern":"^a"}}`, `{"bcde":1}`, []string{
			"/bcde: expected a property whose name is a string of at most 3 characters, found 4 characters",
			`/bcde: expected a property whose name is a string that matches the regular expression ^a, found "bcde"`}},
		{"properties that nothing allows", `{"properties":{"a":{"additionalProperties":false},"b":false},"patternProperties":{"^c":{"additionalProperties":false,"properties":{"long":{}}}}}`, `{"a":{"x":1},"b":2,"c":{"lonk":3,"z":4}}`, []string{
			`/a/x: unknown property "x"; no properties are allowed`, "/b: expected no such property, found 2",
			`/c/lonk: unknown property "lonk"; did you mean "long"?`, `/c/z: unknown property "z"; the properties are "long"`}},
		{"properties that go together", `{"dependentRequired":{"a":["b","c"],"d":["e"]},"dependentSchemas":{"a":{"required":["f"]}}}`, `{"a":1}`, []string{
			`/b: the property is required together with "a" and missing`, `/c: the property is required together with "a" and missing`, "/f: the property is required and missing"}},
		{"items that nothing allows", `{"prefixItems":[{"type":"string"}],"items":false}`, `[1,2]`, []string{"/0: expected a string, found 1", "/1: expected no item here, found 2"}},
		{"items that are asked for", `{"contains":{"const":1},"minItems":3}`, `[2]`, []string{
			"the whole value: expected an array of at least 3 items, found 1 item", "the whole value: expected an array with at least 1 item of this kind: exactly 1, found 0 such items"}},
		{"a nullable object", `{"properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{"type":"string"}}},{"type":"null"}]}}}`, `{"a":{"b":1}}`, []string{"/a/b: expected a string, found 1"}},
		{"a union of which no branch is of the kind", `{"properties":{"a":{"oneOf":[{"$ref":"#/$defs/s"},{"type":["null","string"]},{"type":"integer"}]}},"$defs":{"s":{"type":"string"}}}`, `{"a":true}`, []string{"/a: expected an integer or a string or null, found true"}},
		{"a union with several branches of the kind", `{"anyOf":[{"required":["a"]},{"required":["b"],"minProperties":2}]}`, `{}`, []string{
			`the whole value: expected a value that fits one of 2 alternatives: (1) an object with "a", (2) an object with "b", found {}, which is nearest to (1)`,
			"/a: the property is required and missing"}},
		{"a union of which two branches fit", `{"oneOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":1,"b":2}`, []string{`the whole value: expected a value that fits exactly one of 2 alternatives: (1) an object with "a", (2) an object with "b", found {"a":1,"b":2}, which fits (1) and (2)`}},
		{"the branch of a union that its tag names", tagged, `{"s":{"type":"circle","r":"1"}}`, []string{`/s/r: expected a number, found "1"`}},
		{"a tag that no branch has", tagged, `{"s":{"type":"oval","r":1}}`, []string{`/s/type: expected one of "circle", "square", found "oval"`}},
		{"a tag that is missing", tagged, `{"s":{"r":1}}`, []string{`/s/type: the property is required and missing; give one of "circle", "square"`}},
		{"a value of another kind than the branches of a tagged union", tagged, `{"s":1}`, []string{"/s: expected an object or null, found 1"}},
		{"a value of another kind than a bound and a list of values", sizes, `1.5`, []string{`the whole value: expected an integer or one of "auto", "full", null, found 1.5`}},
		{"an object where a bound and a list of values are", sizes, `{}`, []string{`the whole value: expected an integer or one of "auto", "full", null, found {}`}},
		{"true where a bound and a list of values are", sizes, `true`, []string{`the whole value: expected an integer or one of "auto", "full", null, found true`}},
		{"a value beside a bound, where others are listed", sizes, `0`, []string{"the whole value: expected an integer of at least 1, found 0"}},
		{"a string that is not listed, where numbers are bounded", sizes, `"huge"`, []string{`the whole value: expected one of "auto", "full", found "huge"`}},
		{"a number beside one value and a bound", `{"oneOf":[{"const":"auto"},{"type":"integer","minimum":1}]}`, `0`, []string{"the whole value: expected an integer of at least 1, found 0"}},
		{"neither one value nor a number", `{"oneOf":[{"const":"auto"},{"type":"number"}]}`, `[]`, []string{`the whole value: expected a number or exactly "auto", found []`}},
		{"an item of a list beside one value", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"enum":["*"]}]}`, `[1]`, []string{"/0: expected a string, found 1"}},
		{"neither a list nor one value", `{"anyOf":[{"type":"array","items":{"type":"string"}},{"enum":["*"]}]}`, `1`, []string{`the whole value: expected an array or exactly "*", found 1`}},
		{"a fraction where integers are listed", `{"anyOf":[{"enum":[1,2]},{"type":"string"}]}`, `1.5`, []string{"the whole value: expected one of 1, 2, found 1.5"}},
		{"a list of values in a list of values, and a bound", `{"anyOf":[{"anyOf":[{"const":"a"},{"const":"b"}]},{"type":"integer","minimum":1}]}`, `0`, []string{"the whole value: expected an integer of at least 1, found 0"}},
		{"a value of another kind than a list with a type", `{"anyOf":[{"type":"string","enum":["a","b"]},{"type":"null"}]}`, `1`, []string{`the whole value: expected one of "a", "b", null, found 1`}},
		{"a value of another kind than a list that is referred to", `{"anyOf":[{"$ref":"#/$defs/size"},{"type":"array"}],"$defs":{"size":{"enum":["s"]}}}`, `1`, []string{`the whole value: expected an array or exactly "s", found 1`}},
		{"a union that is a list of values", `{"oneOf":[{"const":"a","title":"A"},{"const":"b"},{"enum":["c","d"]}]}`, `"e"`, []string{`the whole value: expected one of "a", "b", "c", "d", found "e"`}},
		{"the branch that is nearest because it fails deeper", `{"anyOf":[{"properties":{"a":{"properties":{"b":{"type":"integer"}}}}},{"properties":{"a":{"type":"integer"}}}]}`, `{"a":{"b":"x"}}`, []string{
			`the whole value: expected a value that fits one of 2 alternatives, found {"a":{"b":"x"}}, which is nearest to (1)`, `/a/b: expected an integer, found "x"`}},
		{"the branch of which only the parts are wrong", filters, `{"and":[{"name":"a","is":1},{"or":[]},{"nam":"b","is":"x"}]}`, []string{
			"/and/0/is: expected a string, found 1",
			`/and/2: expected a value that fits one of 3 alternatives: (1) an object with "and", (2) an object with "or", (3) an object with "name", "is", found {"is":"x","nam":"b"}, which is nearest to (3)`,
			`/and/2/nam: unknown property "nam"; did you mean "name"?`, "/and/2/name: the property is required and missing"}},
		{"branches that are as near", `{"oneOf":[{"title":"By id","required":["id"]},{"required":["k","v"],"properties":{"v":{"const":1},"k":{}}},{"not":{"required":["z"]}}]}`, `{"z":1}`, []string{
			`the whole value: expected a value that fits exactly one of 3 alternatives: (1) "By id", (2) an object with "k", "v": 1, (3) an object without "z", found {"z":1}`}},
		{"exactly one of two properties, both given", dueSchema, `{"due_date":"2024-01-31","clear_due":true}`, []string{
			`the whole value: expected a value that fits exactly one of 2 alternatives: (1) an object with "due_date", (2) an object with "clear_due", found {"clear_due":true,"due_date":"2024-01-31"}, which fits (1) and (2)`}},
		{"exactly one of two properties, none given", dueSchema, `{}`, []string{
			`the whole value: expected a value that fits exactly one of 2 alternatives: (1) an object with "due_date", (2) an object with "clear_due", found {}`}},
		{"a condition", `{"if":{"required":["a"]},"then":{"required":["b"]},"else":{"required":["c"]}}`, `{"a":1}`, []string{"/b: the property is required and missing"}},
		{"items that are too many of a kind", `{"contains":{"type":"string"},"minContains":0,"maxContains":1}`, `["a",1,"b"]`, []string{
			"the whole value: expected an array with at most 1 item of this kind: a string, found 2 such items"}},
		{"items of a kind that is hard to name", `{"contains":{"minLength":2},"minContains":2}`, `["aa"]`, []string{
			`the whole value: expected an array with at least 2 items for "contains", found 1 such item`}},
		{"items that nothing speaks of", `{"allOf":[{"prefixItems":[{"type":"string"}]}],"unevaluatedItems":false}`, `["a",1]`, []string{"/1: expected no item here, found 1"}},
		{"items that what was not spoken of must be", `{"contains":{"type":"string"},"unevaluatedItems":{"type":"null"}}`, `["a",1,null]`, []string{"/1: expected null, found 1"}},
		{"properties that what was not spoken of must be", `{"allOf":[{"properties":{"a":true}}],"unevaluatedProperties":{"type":"null"}}`, `{"a":1,"b":2}`, []string{"/b: expected null, found 2"}},
		{"a pattern of names", `{"patternProperties":{"^n":{"type":"integer"}},"additionalProperties":{"type":"string"}}`, `{"n1":"x","m":1}`, []string{
			"/m: expected a string, found 1", `/n1: expected an integer, found "x"`}},
		{"what is ruled out", `{"not":{"required":["a"]}}`, `{"a":1}`, []string{`the whole value: expected anything but an object with "a", found {"a":1}`}},
		{"what is ruled out and hard to name", `{"not":{"minLength":2}}`, `"aa"`, []string{`the whole value: expected a value that "not" does not rule out, found "aa"`}},
		{"a schema that allows nothing", `false`, `{}`, []string{"the whole value: expected nothing, found {}"}},
		{"only the cause where a part of a closed object fails", `{"allOf":[{"properties":{"a":{"type":"string"}}}],"unevaluatedProperties":false}`, `{"a":1}`, []string{"/a: expected a string, found 1"}},
		{"a known property that the others leave no place for", `{"if":{"required":["b"]},"then":{"properties":{"b":{}}},"else":{"properties":{"a":{}}},"unevaluatedProperties":false}`, `{"a":1,"b":2}`, []string{`/a: the property "a" is not allowed beside the others`}},
		{"properties named as keywords", `{"properties":{"anyOf":{"maxLength":1,"pattern":"^a"},"allOf":{"properties":{"propertyNames":{"maxLength":1}}},"not":false}}`, `{"anyOf":"bb","allOf":{"propertyNames":"cc"},"not":1}`, []string{
			"/allOf/propertyNames: expected a string of at most 1 character, found 2 characters", "/anyOf: expected a string of at most 1 character, found 2 characters",
			`/anyOf: expected a string that matches the regular expression ^a, found "bb"`, "/not: expected no such property, found 1"}},
		{"names with characters to escape", `{"properties":{"a/b~c %":{"type":"string"}},"required":["d/e"]}`, `{"a/b~c %":1}`, []string{
			"/a~1b~0c %: expected a string, found 1", "/d~1e: the property is required and missing"}},
		{"a name that is empty, where names are closed", settingSchema, `{"key":"theme","value":"x","":1}`, []string{
			`/: unknown property ""; the properties are "key", "value"`}},
		{"a name that is empty, in closed properties", `{"properties":{"a":{"properties":{"b":{}},"additionalProperties":false}}}`, `{"a":{"":1}}`, []string{
			`/a/: unknown property ""; the properties are "b"`}},
		{"something inside a property with an empty name", `{"additionalProperties":{"properties":{"":{"properties":{"a":{"type":"string"}}}}}}`, `{"":{"":{"a":1}}}`, []string{
			"///a: expected a string, found 1"}},
		{"an empty name itself", `{"propertyNames":{"minLength":1}}`, `{"":1}`, []string{
			"/: expected a property whose name is a string of at least 1 character, found 0 characters"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, v := range violations(t, test.schema, test.raw) {
				got = append(got, v.Message)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestViolationsShortenWhatTheyRepeat(t *testing.T) {
	t.Parallel()
	var names, members []string
	for i := range 60 {
		names = append(names, fmt.Sprintf("%q", fmt.Sprint("v", i)))
		members = append(members, fmt.Sprintf("%q:{}", fmt.Sprint("v", i)))
	}
	long := strings.Repeat("é", 100_000)
	for _, test := range []struct{ name, schema, raw string }{
		{"a string", `{"properties":{"a":{"type":"integer"}}}`, `{"a":"` + long + `"}`},
		{"a list", `{"properties":{"a":{"type":"integer"}}}`, `{"a":["` + long + `"]}`},
		{"a name", settingSchema, `{"key":"theme","value":"x","` + long + `":1}`},
		{"choices", `{"properties":{"a":{"enum":[` + strings.Join(names, ",") + `]}}}`, `{"a":1}`},
		{"properties", `{"properties":{` + strings.Join(members, ",") + `},"additionalProperties":false}`, `{"xyz":1}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			const longest = 1000
			for _, v := range violations(t, test.schema, test.raw) {
				for _, text := range []string{v.Expected, v.Found, v.Message} {
					if len(text) > longest || !strings.Contains(v.Message, "…") && !strings.Contains(v.Message, "and 10 more") {
						t.Errorf("not shortened, or without a mark: %d bytes, %.200s", len(text), text)
					}
				}
			}
		})
	}
}

func TestInvalidSaysTheFirstViolations(t *testing.T) {
	t.Parallel()
	_, err := compile(t, `{"items":{"type":"string"}}`).Accept([]byte(`[`+strings.Repeat("1,", 11)+`1]`), exact.DefaultLimits)
	if err == nil || !strings.HasPrefix(err.Error(), "/0: expected a string, found 1; ") || !strings.HasSuffix(err.Error(), "; and 2 more") {
		t.Errorf("got %v", err)
	}
}

// labels is a schema that a payload can break in many places under one long name.
const labels = `{"properties":{"labels":{"additionalProperties":{"items":{"type":"integer"}}}}}`

func underLongName(items int) string {
	const nameBytes = 900_000
	return `{"labels":{"` + strings.Repeat("k", nameBytes) + `":[` + strings.Repeat(`"x",`, items-1) + `"x"]}}`
}

func TestPointersOfLongNamesAreCutInTheMiddle(t *testing.T) {
	t.Parallel()
	const longest = 600
	for _, v := range violations(t, labels, underLongName(3)) {
		before, after, cut := strings.Cut(v.Pointer, "…")
		if len(v.Pointer) > longest || !cut || !strings.HasPrefix(before, "/labels/k") || !strings.HasSuffix(after, fmt.Sprint("k/", after[len(after)-1:])) {
			t.Errorf("pointer: %d bytes, %.700s", len(v.Pointer), v.Pointer)
		}
		if !strings.HasPrefix(v.Message, v.Pointer+": ") {
			t.Errorf("message: %.700s", v.Message)
		}
	}
}

// Not parallel, as it counts what the process allocates.
func TestExplainingTakesMemoryOfTheSizeOfThePayload(t *testing.T) {
	schema, raw := compile(t, labels), []byte(underLongName(9000))
	var invalid *payload.Invalid
	if err := schema.Validate(raw); !errors.As(err, &invalid) {
		t.Fatalf("got %v", err)
	}
	const most = 64 << 20
	if taken := allocated(func() { _ = schema.Validate(raw) }); taken > most {
		t.Errorf("%d bytes allocated for a payload of %d", taken, len(raw))
	}
}

// allocated is how many bytes call allocates, with everything else that runs.
func allocated(call func()) uint64 {
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	call()
	goruntime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestATextThatListsMuchIsCut(t *testing.T) {
	t.Parallel()
	var values []string
	for i := range 50 {
		values = append(values, fmt.Sprintf(`"%02d%s"`, i, strings.Repeat("v", 70)))
	}
	schema := `{"enum":[` + strings.Join(values, ",") + `]}`
	const longest = 2100
	for _, v := range violations(t, schema, `1`) {
		if len(v.Expected) > longest || len(v.Message) > longest || !strings.Contains(v.Expected, "…") {
			t.Errorf("%d and %d bytes: %s", len(v.Expected), len(v.Message), v.Message)
		}
	}
}
