package requestid_test

import (
	"encoding/json"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/requestid"
)

func TestPayloadThatNamesTheRequestIDIsRefused(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"property":               `{"type": "object", "properties": {"request_id": {"type": "string"}}}`,
		"required":               `{"type": "object", "required": ["request_id"]}`,
		"in allOf":               `{"type": "object", "allOf": [{"properties": {"request_id": {}}}]}`,
		"in a case":              `{"type": "object", "oneOf": [{"properties": {"key": {}}}, {"properties": {"request_id": {}}}]}`,
		"through a reference":    `{"type": "object", "allOf": [{"$ref": "#/$defs/a~1b%20c"}], "$defs": {"a/b c": {"required": ["request_id"]}}}`,
		"as what is depended on": `{"type": "object", "dependentRequired": {"key": ["request_id"]}}`,
		"as what depends":        `{"type": "object", "dependentSchemas": {"request_id": {"required": ["key"]}}}`,
		"as what is asked for":   `{"type": "object", "if": {"required": ["request_id"]}, "then": {"required": ["key"]}}`,
	} {
		if requestid.CheckUnused([]byte(payload)) == nil {
			t.Errorf("%s is taken", name)
		}
		if shown, err := requestid.AddTo([]byte(payload), "x"); err == nil {
			t.Errorf("%s became %s", name, shown)
		}
	}
	for name, payload := range map[string]string{
		"in a property":              `{"type": "object", "properties": {"a": {"properties": {"request_id": {}}}}}`,
		"a circle":                   `{"type": "object", "allOf": [{"$ref": "#"}]}`,
		"a reference to nothing":     `{"type": "object", "allOf": [{"$ref": "#/$defs/x"}]}`,
		"a definition not used here": `{"type": "object", "$defs": {"x": {"required": ["request_id"]}}}`,
	} {
		if err := requestid.CheckUnused([]byte(payload)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is taken out is the request id and nothing else.
func FuzzTakeRequestID(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"request_id":"r1"}`, `{"request_id":7,"key":1e400}`, `{"key":{"request_id":"x"},"request_id":"é"}`,
		`{"request\u005fid":"r1","key":"theme"}`, `{"request_id":"a","request_id":"b"}`, `{"request_id":""`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		rest, id, isGiven := requestid.TakeFrom(raw)
		if !isGiven {
			if string(rest) != string(raw) {
				t.Fatalf("%q became %q", raw, rest)
			}
			return
		}
		tree, err := exact.Tree(rest)
		members, ok := tree.(map[string]any)
		if _, left := members[requestid.Name]; err != nil || !ok || left {
			t.Fatalf("left of %q: %q, %v", raw, rest, err)
		}
		members[requestid.Name] = id
		whole, err := exact.FromTree(members)
		want, cause := exact.Canonical(raw, exact.DefaultLimits)
		if err != nil || cause != nil || string(whole) != string(want) {
			t.Errorf("%v and %q are not %q: %v, %v", id, rest, want, err, cause)
		}
	})
}

// The schema with the request id is what was given, and one property more.
func FuzzWithRequestID(f *testing.F) {
	for _, seed := range []string{
		`{"type":"object"}`, `{}`, ` { "properties" : { } , "type":"object"}`, `{"properties":{"key":{"properties":{}}},"a":{"properties":{"b":1}}}`,
		`{"properties":true}`, ` { }`, `{"$defs":{"properties":{"x":{}}},"properties":{"y":{}}}`, `true`, `[]`, `{"required":["request_id"]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, given []byte) {
		if _, err := exact.Canonical(given, exact.DefaultLimits); err != nil {
			return // schemas are read strictly before
		}
		shown, err := requestid.AddTo(given, "What it is for.")
		if err != nil {
			return
		}
		var was, is map[string]any
		if json.Unmarshal(given, &was) != nil || json.Unmarshal(shown, &is) != nil {
			t.Fatalf("%s became %s", given, shown)
		}
		properties, _ := is["properties"].(map[string]any)
		if properties[requestid.Name] == nil {
			t.Fatalf("%s became %s", given, shown)
		}
		delete(properties, requestid.Name)
		if _, had := was["properties"]; !had && len(properties) == 0 {
			delete(is, "properties")
		}
		before, _ := json.Marshal(was)
		after, _ := json.Marshal(is)
		if string(before) != string(after) {
			t.Errorf("%s became %s", given, shown)
		}
	})
}
