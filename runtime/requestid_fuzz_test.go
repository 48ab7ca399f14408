package runtime

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// What is taken out is the request id and nothing else.
func FuzzTakeRequestID(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[]`, `{"request_id":"r1"}`, `{"request_id":7,"key":1e400}`, `{"key":{"request_id":"x"},"request_id":"é"}`,
		`{"request\u005fid":"r1","key":"theme"}`, `{"request_id":"a","request_id":"b"}`, `{"request_id":""`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		rest, id, wrong := takeRequestID(raw)
		if wrong != nil {
			return
		}
		if id == "" {
			if string(rest) != string(raw) {
				t.Fatalf("%q became %q", raw, rest)
			}
			return
		}
		if n := utf8.RuneCountInString(id); n > maxRequestID {
			t.Fatalf("an id of %d characters", n)
		}
		tree, err := exact.Tree(rest)
		members, ok := tree.(map[string]any)
		if _, left := members[argRequest]; err != nil || !ok || left {
			t.Fatalf("left of %q: %q, %v", raw, rest, err)
		}
		members[argRequest] = id
		whole, err := exact.FromTree(members)
		want, cause := exact.Canonical(raw, exact.DefaultLimits)
		if err != nil || cause != nil || string(whole) != string(want) {
			t.Errorf("%q and %q are not %q: %v, %v", id, rest, want, err, cause)
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
		shown, err := withRequestID(given)
		if err != nil {
			return
		}
		var was, is map[string]any
		if json.Unmarshal(given, &was) != nil || json.Unmarshal(shown, &is) != nil {
			t.Fatalf("%s became %s", given, shown)
		}
		properties, _ := is["properties"].(map[string]any)
		if properties[argRequest] == nil {
			t.Fatalf("%s became %s", given, shown)
		}
		delete(properties, argRequest)
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
