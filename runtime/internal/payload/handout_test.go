package payload_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

func TestUnmarkedIsTheSchemaWithoutTheMark(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{`{"type": "object"}`, `{"type": "object"}`},
		{`{"properties":{"a":{"x-sensitive":true,"type":"string"}}}`, `{"properties":{"a":{"type":"string"}}}`},
		{`{"$defs":{"s":{"x-sensitive":true}},"anyOf":[{"items":{"x-sensitive":false}}]}`, `{"$defs":{"s":{}},"anyOf":[{"items":{}}]}`},
		{`{"properties":{"x-sensitive":{"type":"string"}},"enum":[{"x-sensitive":true}]}`,
			`{"enum":[{"x-sensitive":true}],"properties":{"x-sensitive":{"type":"string"}}}`},
		{`{"properties":{"a":{"x-sensitive":true,"default":"hunter22","examples":["1234"]},"b":{"default":"x"}},"default":{"a":"hunter22"}}`,
			`{"properties":{"a":{},"b":{"default":"x"}}}`},
		{`{"$defs":{"s":{"x-sensitive":true}},"properties":{"a":{"$ref":"#/$defs/s","default":"hunter22"},"default":{"type":"string"}}}`,
			`{"$defs":{"s":{}},"properties":{"a":{"$ref":"#/$defs/s"},"default":{"type":"string"}}}`},
	} {
		got, err := payload.Unmarked([]byte(test.schema))
		if err != nil || string(got) != test.want {
			t.Errorf("%s: %s, %v; want %s", test.schema, got, err, test.want)
		}
	}
}

func TestRedactedSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{`{"properties":{"a":{"x-sensitive":true,"type":"integer","description":"A key.","anyOf":[]}}}`,
			`{"properties":{"a":{"const":"-","description":"A key.","type":"string"}}}`},
		{`{"$defs":{"s":{"x-sensitive":true}},"items":{"$ref":"#/$defs/s","description":"One."}}`,
			`{"$defs":{"s":{"const":"-","type":"string"}},"items":{"$ref":"#/$defs/s","description":"One."}}`},
		{`{"type":"object","required":["a","b"],"unevaluatedProperties":false,"properties":{"a":{"x-sensitive":true},"b":{"enum":[1,2]}}}`,
			`{"properties":{"a":{"const":"-","type":"string"},"b":{"enum":[1,2]}},"required":["a","b"],"type":"object","unevaluatedProperties":false}`},
		{`{"allOf":[{"properties":{"a":{"type":"integer"}}}],"properties":{"a":{"x-sensitive":true}}}`, ""},
		{`{"$defs":{"s":{"x-sensitive":true}},"items":{"$ref":"#/$defs/s","maximum":3}}`, ""},
		{`{"uniqueItems":true,"items":{"x-sensitive":true}}`, ""},
		{`{"enum":[{"a":1}],"properties":{"a":{"x-sensitive":true}}}`, ""},
		{`{"unevaluatedProperties":{"x-sensitive":true}}`, ""},
	} {
		got, isPlain, err := payload.Redacted([]byte(test.schema), "-")
		if err != nil || isPlain != (test.want != "") || isPlain && string(got) != test.want {
			t.Errorf("%s: %s, %t, %v; want %s", test.schema, got, isPlain, err, test.want)
		}
	}
}

// What is left of a value when its sensitive values are replaced fits the schema that says so.
func FuzzRedacted(f *testing.F) {
	f.Add(`{"properties":{"a":{"x-sensitive":true},"b":{"type":"integer"}}}`, `{"a":1,"b":2}`)
	f.Add(`{"items":{"$ref":"#/$defs/s"},"$defs":{"s":{"x-sensitive":true}}}`, `[1,2]`)
	f.Add(`{"additionalProperties":{"x-sensitive":true,"minimum":4},"maxProperties":3}`, `{"k":5}`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		s, err := payload.Compile("fuzz", []byte(schema), payload.Options{})
		if err != nil {
			return
		}
		canonical, err := exact.Canonical([]byte(value), exact.DefaultLimits)
		if err != nil || s.Validate(canonical) != nil {
			return
		}
		redacted, isPlain, err := payload.Redacted([]byte(schema), "-")
		if err != nil || !isPlain {
			return
		}
		left, err := payload.Compile("left", redacted, payload.Options{})
		if err != nil {
			return // a reference into what was replaced
		}
		pointers, err := s.Sensitive(canonical)
		if err != nil {
			t.Fatal(err)
		}
		if err := left.Validate(replace(t, canonical, pointers)); err != nil {
			t.Errorf("%s by %s without %q: %v", value, redacted, pointers, err)
		}
	})
}

// replace puts "-" at each pointer.
func replace(t *testing.T, document []byte, pointers []string) []byte {
	t.Helper()
	tree, err := exact.Tree(document)
	if err != nil {
		t.Fatal(err)
	}
	for _, pointer := range pointers {
		tree = replaceAt(tree, strings.Split(pointer, "/")[1:])
	}
	text, err := exact.FromTree(tree)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func replaceAt(tree any, tokens []string) any {
	if len(tokens) == 0 {
		return "-"
	}
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(tokens[0])
	switch v := tree.(type) {
	case map[string]any:
		v[name] = replaceAt(v[name], tokens[1:])
	case []any:
		i := 0
		for _, digit := range name {
			i = i*10 + int(digit-'0')
		}
		v[i] = replaceAt(v[i], tokens[1:])
	}
	return tree
}
