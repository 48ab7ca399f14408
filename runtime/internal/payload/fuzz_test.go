package payload_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

func FuzzAccept(f *testing.F) {
	schemas := []*payload.Schema{
		compile(f, settingSchema),
		compile(f, productSchema),
		compile(f, `{"multipleOf":0.01,"uniqueItems":true,"not":{"const":9007199254740992},"items":{"$ref":"#"}}`),
		compile(f, `{"oneOf":[{"type":"object","additionalProperties":{"$ref":"#"}},{"type":["string","null"],"pattern":"^a"},{"type":"number"}]}`),
		compile(f, `{"properties":{"a":{"default":{}},"b":{"items":{"$ref":"#"}}},"propertyNames":{"maxLength":2},"dependentRequired":{"b":["c"]}}`),
	}
	for i, raw := range []string{
		`{"key":"theme","value":"dark"}`, `{"id":9007199254740993,"name":"x","size":{"next":{}}}`, `[1.50,[9007199254740993]]`,
		`{"x":{"y":null}}`, `{"b":[{},{"a":1}],"c":1e3}`, ``, `null`, `{"amount":10,"Amount":9999}`, `{"":{}}`, `{"a":1,"a":1}`, `[1e400,NaN]`,
	} {
		f.Add(uint(i), []byte(raw))
	}
	f.Fuzz(func(t *testing.T, which uint, raw []byte) {
		s := schemas[which%uint(len(schemas))]
		accepted, err := s.Accept(raw, exact.DefaultLimits)
		if err != nil {
			requireKnownError(t, err)
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
		requireKept(t, raw, accepted)
	})
}

// requireKnownError checks that a refusal says something and is printable.
func requireKnownError(t *testing.T, err error) {
	t.Helper()
	var fault *exact.Error
	var invalid *payload.Invalid
	switch {
	case errors.As(err, &fault):
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
		if accepted, err := s.Accept(raw, exact.DefaultLimits); err == nil && s.Validate(accepted) != nil {
			t.Fatalf("%q was accepted as %s, which is not valid", raw, accepted)
		}
	})
}
