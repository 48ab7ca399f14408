package exact_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// kind stands for the named types of generated code.
type kind string

// product has a field of each kind that generated code has.
type product struct {
	ID     int64          `json:"id"`
	Amount json.Number    `json:"amount"`
	Kind   kind           `json:"kind"`
	Active bool           `json:"active"`
	Tags   []string       `json:"tags"`
	Note   *string        `json:"note"`
	Price  *json.Number   `json:"price,omitzero"`
	Sizes  []json.Number  `json:"sizes,omitzero"`
	Links  *[]string      `json:"links,omitzero"`
	Free   map[string]any `json:"free,omitzero"`
}

func TestDecodeKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	note, price := "x", json.Number("0.10000000000000000001")
	for _, test := range []struct {
		name, canonical string
		want            product
	}{
		{"an integer beyond 2^53", `{"id":9007199254740993}`, product{ID: 9007199254740993}},
		{"the largest int64", `{"id":9223372036854775807}`, product{ID: 9223372036854775807}},
		{"the smallest int64", `{"id":-9223372036854775808}`, product{ID: -9223372036854775808}},
		{"digits of a number", `{"amount":12345678901234567890.5}`, product{Amount: "12345678901234567890.5"}},
		{"digits behind a pointer", `{"price":0.10000000000000000001}`, product{Price: &price}},
		{"digits in a list", `{"sizes":[9007199254740993,1]}`, product{Sizes: []json.Number{"9007199254740993", "1"}}},
		{"digits without a type", `{"free":{"a":[9007199254740993,null,true,"x",{}]}}`, product{
			Free: map[string]any{"a": []any{json.Number("9007199254740993"), nil, true, "x", map[string]any{}}}}},
		{"a named type", `{"kind":"goods"}`, product{Kind: "goods"}},
		{"a value behind a pointer", `{"note":"x"}`, product{Note: &note}},
		{"null behind a pointer", `{"note":null}`, product{}},
		{"an empty list is not an absent one", `{"tags":[]}`, product{Tags: []string{}}},
		{"a name in another case is another name", `{"Amount":1,"ID":2,"amount":3}`, product{Amount: "3"}},
		{"a name that folds alike is another name", "{\"\u212aind\":\"a\",\"kind\":\"b\"}", product{Kind: "b"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got product
			if err := exact.Decode([]byte(test.canonical), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestDecodeGivesNilForNull(t *testing.T) {
	t.Parallel()
	got := &product{}
	if err := exact.Decode([]byte(`null`), &got); err != nil || got != nil {
		t.Errorf("got %v, %v; want nil", got, err)
	}
}

func TestDecodeRefusesWithThePlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, canonical string
		into            any
		want            exact.Error // but for Detail
	}{
		{"an integer beyond int64", `{"id":9223372036854775808}`, &product{}, exact.Error{Path: "/id", Offset: 6, Cause: exact.ErrNumber}},
		{"an integer below int64", `{"id":-9223372036854775809}`, &product{}, exact.Error{Path: "/id", Offset: 6, Cause: exact.ErrNumber}},
		{"an integer of 400 digits", `[1` + zeros(399) + `]`, &[]int64{}, exact.Error{Path: "/0", Offset: 1, Cause: exact.ErrNumber}},
		{"a fraction for an integer", `{"id":1.5}`, &product{}, exact.Error{Path: "/id", Offset: 6, Cause: exact.ErrNumber}},
		{"a string for an integer", `{"id":"1"}`, &product{}, exact.Error{Path: "/id", Offset: 6, Cause: exact.ErrType}},
		{"a string for a number", `{"sizes":[1,"2"]}`, &product{}, exact.Error{Path: "/sizes/1", Offset: 12, Cause: exact.ErrType}},
		{"a number for a string", `{"kind":1}`, &product{}, exact.Error{Path: "/kind", Offset: 8, Cause: exact.ErrType}},
		{"an object for a list", `{"tags":{}}`, &product{}, exact.Error{Path: "/tags", Offset: 8, Cause: exact.ErrType}},
		{"an integer that a float64 rounds", `[9007199254740993]`, &[]float64{}, exact.Error{Path: "/0", Offset: 1, Cause: exact.ErrNumber}},
		{"a number that a float32 rounds", `[16777217]`, &[]float32{}, exact.Error{Path: "/0", Offset: 1, Cause: exact.ErrNumber}},
		{"a number beyond float64", `[1` + zeros(309) + `]`, &[]float64{}, exact.Error{Path: "/0", Offset: 1, Cause: exact.ErrNumber}},
		{"a boolean for a float64", `[true]`, &[]float64{}, exact.Error{Path: "/0", Offset: 1, Cause: exact.ErrType}},
		{"a name twice", `{"id":1,"id":2}`, &product{}, exact.Error{Path: "/id", Offset: 8, Cause: exact.ErrDuplicateName}},
		{"a name twice where anything goes", `{"free":{"x":[{"a":1,"a":2}]}}`, &product{}, exact.Error{Path: "/free/x/0/a", Offset: 21, Cause: exact.ErrDuplicateName}},
		{"text that is not UTF-8", "{\"kind\":\"\xff\"}", &product{}, exact.Error{Path: "/kind", Offset: 9, Cause: exact.ErrInvalidText}},
		{"a lone surrogate", `{"kind":"\ud800"}`, &product{}, exact.Error{Path: "/kind", Offset: 9, Cause: exact.ErrInvalidText}},
		{"nothing", ``, &product{}, exact.Error{Offset: 0, Cause: exact.ErrSyntax}},
		{"text that ends early", `{"id":`, &product{}, exact.Error{Path: "/id", Offset: 6, Cause: exact.ErrSyntax}},
		{"text after the value", `{}x`, &product{}, exact.Error{Offset: 2, Cause: exact.ErrSyntax}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			requireError(t, exact.Decode([]byte(test.canonical), test.into), test.want)
		})
	}
}

func TestDecodeFillsFloatsThatKeepTheNumber(t *testing.T) {
	t.Parallel()
	var got []float64
	if err := exact.Decode([]byte(`[0.1,0,-2.5,9007199254740992]`), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{0.1, 0, -2.5, 1 << 53}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTreeAndBack(t *testing.T) {
	t.Parallel()
	canonical := `{"a":[1,0.5,9007199254740993],"b":{"c":null,"d":true},"e":"x"}`
	want := map[string]any{
		"a": []any{json.Number("1"), json.Number("0.5"), json.Number("9007199254740993")},
		"b": map[string]any{"c": nil, "d": true},
		"e": "x",
	}
	tree, err := exact.Tree([]byte(canonical))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(want), tree); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if back, err := exact.FromTree(tree); err != nil || string(back) != canonical {
		t.Errorf("FromTree gave %s, %v; want %s", back, err, canonical)
	}
}
