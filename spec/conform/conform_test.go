package conform_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec/conform"
	"github.com/changesetgen/changesetgen/spec/document"
)

const address = "https://example.com/test"

const form = `{
	"type": "object",
	"required": ["name"],
	"additionalProperties": false,
	"properties": {
		"name": {"type": "string", "minLength": 1, "maxLength": 3, "pattern": "^[a-z0-9]*$"},
		"kind": {"enum": ["go", "none"]},
		"version": {"enum": [1]},
		"list": {"type": "array", "items": {"type": "integer", "minimum": 1, "exclusiveMaximum": 2.5}, "minItems": 2, "maxItems": 3, "uniqueItems": true},
		"either": {"type": ["string", "object"]},
		"map": {"additionalProperties": {"type": "boolean"}, "minProperties": 1, "maxProperties": 2},
		"number": {"exclusiveMinimum": 0, "maximum": 12345678901234567890, "multipleOf": 0.01},
		"time": {"type": "string", "format": "time"},
		"path": {"type": "string", "format": "path"},
		"schema": {"$ref": "https://json-schema.org/draft/2020-12/schema"}
	}
}`

var hints = map[string]conform.Hint{"time": {Text: "write 5s"}, "path": {Text: "write a.b", OrQuotes: true}}

func TestCheckSaysWhatDiffersAndWhere(t *testing.T) {
	t.Parallel()
	schema, err := conform.Compile(address, []byte(form), hints)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ name, src, want string }{
		{"nothing", "{name: a}", ""},
		{"missing key", "kind: go", "f:1:1: missing key 'name' [CS1102]"},
		{"unknown keys", "{name: a, nmae: b, qqq: c}", "f:1:11: nmae: unknown key 'nmae' (did you mean 'name'?) [CS1101]\nf:1:20: qqq: unknown key 'qqq' [CS1101]"},
		{"number for text", "name: 5", `f:1:7: name: must be text, not a number (quote it: "5") [CS1103]`},
		{"list for text", "name: [a]", "f:1:7: name: must be text, not a list (quote it: name: '[a]') [CS1103]"},
		{"list over two lines for text", "name: [a,\n  b]", "f:1:7: name: must be text, not a list [CS1103]"},
		{"map for text of a format", "{name: a, time: {b}}", "f:1:17: time: must be text, not a map (write 5s) [CS1103]"},
		{"map for text of a format that may have been meant", "{name: a, path: {b}}", "f:1:17: path: must be text, not a map (quote it: path: '{b}') [CS1103]"},
		{"number for text of a format that may have been meant", "{name: a, path: 5}", "f:1:17: path: must be text, not a number (write a.b) [CS1103]"},
		{"nothing for text", "name:", "f:1:1: name: must be text, not null [CS1103]"},
		{"list for either", "{name: a, either: []}", "f:1:19: either: must be text or a map, not a list [CS1103]"},
		{"other word", "{name: a, kind: nne}", "f:1:17: kind: must be one of go, none, not 'nne' (did you mean 'none'?) [CS1104]"},
		{"other number", "{name: a, version: 2}", "f:1:20: version: must be 1, not 2 [CS1104]"},
		{"text for a number", "{name: a, version: '1'}", "f:1:20: version: must be 1, not '1' (leave out the quotes) [CS1104]"},
		{"no word at all", "{name: a, kind: ''}", "f:1:17: kind: must be one of go, none, not '' [CS1104]"},
		{"number that no quotes make right", "name: 50000", "f:1:7: name: must be text, not a number [CS1103]"},
		{"number for text of a format", "{name: a, time: 5}", "f:1:17: time: must be text, not a number (write 5s) [CS1103]"},
		{"null for a type", "{name: a, schema: {type: null}}", "f:1:26: schema.type: must be one of array, boolean, integer, null, number, object, string, not 'null' [CS1104]"},
		{"empty text", "name: ''", "f:1:7: name: must not be empty [CS1105]"},
		{"long text of the wrong form", "name: ABCD", "f:1:7: name: must have at most 3 characters [CS1105]\nf:1:7: name: must match ^[a-z0-9]*$ [CS1105]"},
		{"short list", "{name: a, list: [1]}", "f:1:17: list: must have 2 items or more [CS1105]"},
		{"long list", "{name: a, list: [1, 2, 1, 2]}", "f:1:17: list: must have at most 3 items [CS1105]\nf:1:17: list: must not hold the same item twice [CS1105]"},
		{"items out of bounds", "{name: a, list: [0, 3]}", "f:1:18: list[0]: must be 1 or more [CS1105]\nf:1:21: list[1]: must be less than 2.5 [CS1105]"},
		{"fraction for an integer", "{name: a, list: [1, 1.5]}", "f:1:21: list[1]: must be a whole number, not a number [CS1103]"},
		{"empty map", "{name: a, map: {}}", "f:1:16: map: must not be empty [CS1105]"},
		{"members of a map", "{name: a, map: {a/b: true, b%: x, c: false}}", "f:1:16: map: must have at most 2 keys [CS1105]\nf:1:32: map.b%: must be true or false, not text [CS1103]"},
		{"numbers", "{name: a, number: 12345678901234567890.005}", "f:1:19: number: must be 12345678901234567890 or less [CS1105]\nf:1:19: number: must be a multiple of 0.01 [CS1105]"},
		{"zero", "{name: a, number: 0}", "f:1:19: number: must be more than 0 [CS1105]"},
		{"word in a schema", "{name: a, schema: {properties: {x: {type: strin}}}}",
			"f:1:43: schema.properties.x.type: must be one of array, boolean, integer, null, number, object, string, not 'strin' (did you mean 'string'?) [CS1104]"},
		{"word in a list of types", "{name: a, schema: {type: [string, nul]}}",
			"f:1:35: schema.type[1]: must be one of array, boolean, integer, null, number, object, string, not 'nul' (did you mean 'null'?) [CS1104]"},
		{"type twice", "{name: a, schema: {type: [string, string]}}", "f:1:26: schema.type: must not hold the same item twice [CS1105]"},
		{"no type", "{name: a, schema: {type: []}}", "f:1:26: schema.type: must not be empty [CS1105]"},
		{"null that is no text", "{name: a, schema: {type: [string, null]}}",
			`f:1:35: schema.type[1]: must be one of array, boolean, integer, null, number, object, string, not 'null' (quote it: "null") [CS1104]`},
		{"schema that is none", "{name: a, schema: 3}", "f:1:19: schema: must be a map or true or false, not a number [CS1103]"},
		{"negative length in a schema", "{name: a, schema: {items: {minLength: -1}}}", "f:1:39: schema.items.minLength: must be 0 or more [CS1105]"},
		{"format is an annotation", "{name: a, schema: {$id: '% %'}}", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			tree, faults := document.Read("f", []byte(test.src))
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			var got []string
			for _, d := range schema.Check(tree) {
				got = append(got, d.String())
			}
			if diff := cmp.Diff(test.want, strings.Join(got, "\n")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckSaysNothingOfWhatIsReportedAlready(t *testing.T) {
	t.Parallel()
	schema, err := conform.Compile(address, []byte(form), hints)
	if err != nil {
		t.Fatal(err)
	}
	tree, faults := document.Read("f", []byte("{name: a, version: 0x1}"))
	if len(faults) != 1 {
		t.Fatal(faults)
	}
	if more := schema.Check(tree); len(more) > 0 {
		t.Errorf("said twice: %v", more)
	}
}

func TestPartChecksAgainstASchemaWithin(t *testing.T) {
	t.Parallel()
	whole, err := conform.Compile(address, []byte(form), hints)
	if err != nil {
		t.Fatal(err)
	}
	part, err := whole.Part("/properties/kind")
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := document.Read("f", []byte("run"))
	if faults := part.Check(tree); len(faults) != 1 {
		t.Errorf("faults = %v", faults)
	}
	if _, err := whole.Part("/properties/nothing"); err == nil {
		t.Error("a part that is not there is found")
	}
}

func TestCompileFetchesNothing(t *testing.T) {
	t.Parallel()
	for _, schema := range []string{`{"$ref": "https://example.com/other"}`, `{"$ref": "file:///etc/hosts"}`, `{"type": 5}`, `{`} {
		if _, err := conform.Compile(address, []byte(schema), nil); err == nil {
			t.Errorf("%s is compiled", schema)
		}
	}
}
