package exact_test

import (
	"encoding/json"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// The types that generated code has for what is not a plain struct.
type (
	open struct {
		Name   string                     `json:"name"`
		Others map[string]json.RawMessage `json:",embed"`
	}
	prices struct {
		Currency string                  `json:"currency"`
		Others   map[string]*json.Number `json:",embed"`
	}
	tree struct {
		Value  json.Number     `json:"value"`
		Left   *tree           `json:"left,omitzero"`
		Kids   []tree          `json:"kids,omitzero"`
		Others map[string]tree `json:",embed"`
	}
	nest  []nest
	index map[string]index
	raws  struct {
		Needed json.RawMessage            `json:"needed"`
		Given  json.RawMessage            `json:"given,omitzero"`
		List   []json.RawMessage          `json:"list,omitzero"`
		Map    map[string]json.RawMessage `json:"map,omitzero"`
	}
	scalars struct {
		Wide  json.Number                `json:"wide"`
		Float float64                    `json:"float"`
		Count *count                     `json:"count,omitzero"`
		Map   map[string]*[]count        `json:"map,omitzero"`
		Maps  map[string]map[string]bool `json:"maps,omitzero"`
		Odd   bool                       `json:"a b/$-:é日🎉"`
	}
	count int64
)

func TestDecodeAndEncodeKeepWhatGeneratedTypesHold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		canonical string
		into      any
	}{
		{`{"Name":1.5,"name":"a"}`, &open{}},
		{`{"":null,"Others":{"x":[12345678901234567890123456.789]},"name":"a","z":"\u0000"}`, &open{}},
		{`{"name":""}`, &open{}},
		{`{"EUR":12345678901234567890.12,"USD":null,"currency":"x"}`, &prices{}},
		{`{"kids":[],"left":{"kids":[{"value":1}],"value":-0.5},"right":{"value":9007199254740993},"value":0}`, &tree{}},
		{`[[],[[[]],[]]]`, &nest{}},
		{`{"":{},"a":{"b":{"c":{}}}}`, &index{}},
		{`{"given":null,"list":[null,1e-7,"x",{"a":[]}],"map":{"a":null,"b":12345678901234567890123456},"needed":"null"}`, &raws{}},
		{`{"needed":null}`, &raws{}},
		{`{"a b/$-:é日🎉":true,"count":-9223372036854775808,"float":0.1,"map":{"x":null,"y":[],"z":[9223372036854775807]},` +
			`"maps":{"a":{},"b":{"c":false}},"wide":123456789012345678901234567890}`, &scalars{}},
	} {
		canonical, err := exact.Canonical([]byte(test.canonical), exact.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		if err := exact.Decode(canonical, test.into); err != nil {
			t.Errorf("%s: %v", canonical, err)
			continue
		}
		if again, err := exact.Encode(test.into); err != nil || string(again) != string(canonical) {
			t.Errorf("%s came back as %s, %v", canonical, again, err)
		}
	}
}

func TestMemberWithoutAFieldIsRefusedWithItsPlace(t *testing.T) {
	t.Parallel()
	requireError(t, exact.Decode([]byte(`{"EUR":1,"USD":"2","currency":"x"}`), &prices{}),
		exact.Error{Path: "/USD", Offset: 15, Cause: exact.ErrType})
	seven := json.Number("007")
	_, err := exact.Encode(prices{Others: map[string]*json.Number{"EUR": &seven}})
	requireError(t, err, exact.Error{Path: "/EUR", Offset: -1, Cause: exact.ErrNumber})
	_, err = exact.Encode(open{Others: map[string]json.RawMessage{"name": json.RawMessage(`"b"`)}})
	requireError(t, err, exact.Error{Path: "/name", Offset: -1, Cause: exact.ErrDuplicateName})
}

// A type that decodes itself names places within itself.
type selfMade struct{ numbers []json.Number }

func (s *selfMade) UnmarshalJSON(raw []byte) error { return exact.Decode(raw, &s.numbers) }
func (s selfMade) MarshalJSON() ([]byte, error)    { return exact.Encode(s.numbers) }

// A type that reads and writes itself in a stream does so, too.
type streamed struct{ numbers map[string]json.Number }

func (s *streamed) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	return exact.UnmarshalFrom(dec, &s.numbers)
}
func (s streamed) MarshalJSONTo(enc *jsontext.Encoder) error { return exact.MarshalTo(enc, s.numbers) }

func TestTypesThatReadAndWriteThemselvesKeepEveryDigit(t *testing.T) {
	t.Parallel()
	const canonical = `{"made":[1.5,12345678901234567890123456],"streamed":{"a":0.10000000000000000001,"b":9007199254740993}}`
	var v struct {
		Made     selfMade `json:"made"`
		Streamed streamed `json:"streamed"`
	}
	if err := exact.Decode([]byte(canonical), &v); err != nil {
		t.Fatal(err)
	}
	if again, err := exact.Encode(v); err != nil || string(again) != canonical {
		t.Errorf("came back as %s, %v", again, err)
	}
	text, err := exact.Marshal(v)
	if again, canonicalErr := exact.Canonical(text, exact.DefaultLimits); err != nil || canonicalErr != nil || string(again) != canonical {
		t.Errorf("marshalled as %s, %v, %v", text, err, canonicalErr)
	}
}

func TestFaultWithinATypeThatDecodesItselfHasItsPlace(t *testing.T) {
	t.Parallel()
	requireError(t, exact.Decode([]byte(`{"a":{},"b":{"c":{"d":1,"e":"2"}}}`), &map[string]map[string]streamed{}),
		exact.Error{Path: "/b/c/e", Offset: 28, Cause: exact.ErrType})
	_, wrong := exact.Encode(map[string]streamed{"a/b": {map[string]json.Number{"c": "1", "d": ""}}})
	requireError(t, wrong, exact.Error{Path: "/a~1b/d", Offset: -1, Cause: exact.ErrNumber})
	requireError(t, exact.Decode([]byte(`{"a":{},"b":{"c":[1,"2"]}}`), &map[string]map[string]selfMade{}),
		exact.Error{Path: "/b/c/1", Offset: 20, Cause: exact.ErrType})
	_, err := exact.Encode(map[string]selfMade{"a/b": {[]json.Number{"1", ""}}})
	requireError(t, err, exact.Error{Path: "/a~1b/1", Offset: -1, Cause: exact.ErrNumber})
}
