package payload_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

// fuzzSchemas have every keyword between them.
var fuzzSchemas = []string{
	settingSchema,
	productSchema,
	`{"multipleOf":0.01,"uniqueItems":true,"not":{"const":9007199254740992},"items":{"$ref":"#"}}`,
	`{"oneOf":[{"type":"object","additionalProperties":{"$ref":"#"}},{"type":["string","null"],"pattern":"^a"},{"type":"number"}]}`,
	`{"properties":{"a":{"default":{}},"b":{"items":{"$ref":"#"}}},"propertyNames":{"maxLength":2},"dependentRequired":{"b":["c"]}}`,
	`{"if":{"required":["a"]},"then":{"properties":{"a":{"$ref":"#"}},"minProperties":2},"else":{"maxProperties":1},"unevaluatedProperties":false}`,
	`{"anyOf":[{"properties":{"a":{"$ref":"#"}},"required":["a"]},{"properties":{"a":{"$ref":"#"},"b":{"const":1}},"required":["b"]},{"type":"array"}],
		"dependentSchemas":{"b":{"properties":{"c":true}}},"unevaluatedProperties":{"type":"integer"}}`,
	`{"prefixItems":[{"type":"boolean"},{"$ref":"#/prefixItems/0"}],"contains":{"enum":[1,"a",[null]]},"minContains":1,"maxContains":2,"unevaluatedItems":{"$ref":"#"}}`,
	`{"allOf":[{"patternProperties":{"^a":{"minimum":0,"exclusiveMaximum":9},"b$":{"maximum":5,"exclusiveMinimum":-5}}},{"minItems":1,"maxItems":3}],
		"additionalProperties":{"minLength":1,"maxLength":3,"format":"date"},"examples":[1],"readOnly":true}`,
	`{"oneOf":[{"properties":{"t":{"const":"and"},"of":{"items":{"$ref":"#"}}},"required":["t","of"]},
		{"properties":{"t":{"const":"not"},"of":{"$ref":"#"}},"required":["t","of"]},{"properties":{"t":{"enum":["x","y"]}},"required":["t"]}]}`,
}

func FuzzAccept(f *testing.F) {
	var schemas []*payload.Schema
	var peers []*jsonschema.Schema
	for _, schema := range fuzzSchemas {
		schemas, peers = append(schemas, compile(f, schema)), append(peers, peer(f, schema))
	}
	for i, raw := range []string{
		`{"key":"theme","value":"dark"}`, `{"id":9007199254740993,"name":"x","size":{"next":{}}}`, `[1.50,[9007199254740993]]`,
		`{"x":{"y":null}}`, `{"b":[{},{"a":1}],"c":1e3}`, `{"a":{"a":{},"b":1},"b":2}`, `{"a":{"b":1},"c":3}`, `[true,false,1,"a",[null]]`,
		`{"ab":4,"c":"de"}`, `{"t":"and","of":[{"t":"not","of":{"t":"x"}},{"t":"z"}]}`, ``, `null`, `{"amount":10,"Amount":9999}`,
		`{"":{}}`, `{"a":1,"a":1}`, `[1e400,NaN]`,
	} {
		f.Add(uint(i), []byte(raw))
	}
	f.Fuzz(func(t *testing.T, which uint, raw []byte) {
		which %= uint(len(schemas))
		s := schemas[which]
		accepted, err := s.Accept(raw, exact.DefaultLimits)
		if err != nil {
			requireKnownError(t, err)
			requireSameVerdict(t, s, peers[which], raw)
			return
		}
		canonical, err := exact.Canonical(accepted, exact.DefaultLimits)
		if err != nil || !bytes.Equal(canonical, accepted) {
			t.Fatalf("%q was accepted as %s, whose canonical form is %s, %v", raw, accepted, canonical, err)
		}
		if err := s.Validate(accepted); err != nil {
			t.Fatalf("%q was accepted as %s, which is not valid: %v", raw, accepted, err)
		}
		if again, err := s.Accept(accepted, exact.DefaultLimits); err != nil || !bytes.Equal(again, accepted) {
			t.Fatalf("accepted again, %s became %s, %v", accepted, again, err)
		}
		requireSameVerdict(t, s, peers[which], accepted)
		requireKept(t, raw, accepted)
	})
}

// peer is the validator of the library that reads the schemas. Its verdicts are exact and take unbounded work. It is nil
// for a schema that is no object.
func peer(t testing.TB, schema string) *jsonschema.Schema {
	t.Helper()
	canonical, err := exact.Canonical([]byte(schema), exact.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		t.Fatal(err)
	}
	root, ok := tree.(map[string]any)
	if !ok {
		return nil
	}
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	declared, err := exact.FromTree(root)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("peer.json", bytes.NewReader(declared)); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("peer.json")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

// peerLimits keep what the peer is asked within what it can answer: its work doubles with each level of some schemas.
var peerLimits = exact.Limits{Bytes: 300, Depth: 8}

func requireSameVerdict(t *testing.T, s *payload.Schema, other *jsonschema.Schema, raw []byte) {
	t.Helper()
	canonical, err := exact.Canonical(raw, peerLimits)
	if err != nil {
		return
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := s.Validate(canonical), other.Validate(tree)
	if (ours == nil) != (theirs == nil) {
		t.Fatalf("%s: got %v; the library says %v", canonical, ours, theirs)
	}
}

// requireKnownError checks that a refusal says something and is printable.
func requireKnownError(t *testing.T, err error) {
	t.Helper()
	var fault *exact.Error
	var invalid *payload.Invalid
	var hard *payload.TooComplex
	switch {
	case errors.As(err, &fault), errors.As(err, &hard):
	case errors.As(err, &invalid):
		if len(invalid.Violations) == 0 {
			t.Fatal("refused without a violation")
		}
		for _, v := range invalid.Violations {
			if v.Expected == "" || v.Found == "" || v.Message == "" || strings.ContainsAny(v.Message, "\n\r\x00\u202e\u200b") {
				t.Fatalf("a violation that cannot be shown: %+v", v)
			}
		}
	default:
		t.Fatalf("an error of another kind: %v", err)
	}
}

// requireKept checks that everything in raw is in what was accepted, defaults aside.
func requireKept(t *testing.T, raw, accepted []byte) {
	t.Helper()
	sent, err := exact.Canonical(raw, exact.DefaultLimits)
	if err != nil || string(sent) == "null" {
		return // no arguments
	}
	before, err := exact.Tree(sent)
	if err != nil {
		t.Fatal(err)
	}
	after, err := exact.Tree(accepted)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, withoutAdded(before, after)); diff != "" {
		t.Fatalf("what was sent changed: -sent +accepted\n%s", diff)
	}
}

// withoutAdded drops the members of after that before has not.
func withoutAdded(before, after any) any {
	switch kept := before.(type) {
	case map[string]any:
		object, ok := after.(map[string]any)
		if !ok {
			return after
		}
		trimmed := map[string]any{}
		for name, value := range object {
			if was, ok := kept[name]; ok {
				trimmed[name] = withoutAdded(was, value)
			}
		}
		return trimmed
	case []any:
		items, ok := after.([]any)
		if !ok || len(items) != len(kept) {
			return after
		}
		trimmed := make([]any, len(items))
		for i := range items {
			trimmed[i] = withoutAdded(kept[i], items[i])
		}
		return trimmed
	}
	return after
}

// maxPeerSchema is as peerLimits, for schemas.
const maxPeerSchema = 500

func FuzzCompile(f *testing.F) {
	for _, schema := range []string{
		settingSchema, productSchema, `true`, `{"$ref":"#"}`, `{"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"$anchor":"x"}}}`,
		`{"$id":"b","$dynamicRef":"#a","$dynamicAnchor":"a"}`, `{"pattern":"(?=a)"}`, `{"enum":[]}`, `{"maxLength":1e30}`,
		`{"properties":{"a":{"$ref":"#","default":{}}}}`, `{"if":{},"then":{},"dependentSchemas":{"a":false}}`,
	} {
		f.Add([]byte(schema), []byte(`{"a":{"b":[1]}}`))
	}
	f.Fuzz(func(t *testing.T, schema, raw []byte) {
		s, err := payload.Compile("test", schema, payload.Options{})
		if err != nil {
			return
		}
		if other := peer(t, string(schema)); other != nil && len(schema) <= maxPeerSchema {
			requireSameVerdict(t, s, other, raw)
		}
		accepted, err := s.Accept(raw, exact.DefaultLimits)
		if err != nil {
			requireKnownError(t, err)
			return
		}
		if err := s.Validate(accepted); err != nil {
			t.Fatalf("%q was accepted as %s, which is not valid: %v", raw, accepted, err)
		}
	})
}
