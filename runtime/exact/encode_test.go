package exact_test

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func zeros(n int) string { return strings.Repeat("0", n) }

func TestEncodeWritesTheCanonicalForm(t *testing.T) {
	t.Parallel()
	one, none := json.Number("1.0"), (*string)(nil)
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"nil", nil, `null`},
		{"a nil pointer", none, `null`},
		{"a nil list and a nil map", []any{[]string(nil), map[string]int(nil)}, `[[],{}]`},
		{"what is zero and may be left out", product{Amount: "0"}, `{"active":false,"amount":0,"id":0,"kind":"","note":null,"tags":[]}`},
		{"what may be left out and is there", struct {
			Price *json.Number  `json:"price,omitzero"`
			Sizes []json.Number `json:"sizes,omitzero"`
			Links *[]string     `json:"links,omitzero"`
		}{&one, []json.Number{}, &[]string{}}, `{"links":[],"price":1,"sizes":[]}`},
		{"a number keeps its digits", json.Number("9007199254740993"), `9007199254740993`},
		{"a number is spelt one way", []json.Number{"1e3", "1.50", "-0"}, `[1000,1.5,0]`},
		{"a number without a type", map[string]any{"n": json.Number("9007199254740993")}, `{"n":9007199254740993}`},
		{"an integer beyond 2^53", int64(math.MaxInt64), `9223372036854775807`},
		{"a float64", []float64{0.1, 1e21, 5e-324, -2}, `[0.1,1000000000000000000000,0.` + zeros(323) + `5,-2]`},
		{"members of a map in order", map[string]int{"\ufb33": 1, "\U0001F600": 2, "a": 3}, "{\"a\":3,\"\U0001F600\":2,\"\ufb33\":1}"},
		{"JSON that is at hand", json.RawMessage(` {"b":1.0,"a":2} `), `{"a":2,"b":1}`},
		{"a named string", kind("<&>"), `"<&>"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := exact.Encode(test.value)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, %v; want %s", got, err, test.want)
			}
		})
	}
}

func TestEncodeRefusesWithThePath(t *testing.T) {
	t.Parallel()
	deep := any(nil)
	for range 65 {
		deep = []any{deep}
	}
	for _, test := range []struct {
		name  string
		value any
		path  string
		cause error
	}{
		{"an empty number", product{}, "/amount", exact.ErrNumber},
		{"an empty number in a list", product{Amount: "1", Sizes: []json.Number{"1", ""}}, "/sizes/1", exact.ErrNumber},
		{"a number that JSON does not write so", json.Number("007"), "", exact.ErrNumber},
		{"a number with a plus sign", json.Number("+7"), "", exact.ErrNumber},
		{"a number without digits before the point", json.Number(".5"), "", exact.ErrNumber},
		{"a number without digits after the point", json.Number("5."), "", exact.ErrNumber},
		{"a number that is a word", []any{json.Number("NaN")}, "/0", exact.ErrNumber},
		{"a number beyond the limits", []any{json.Number("1e401")}, "/0", exact.ErrNumber},
		{"NaN", map[string]any{"a/b": []float64{0, math.NaN()}}, "/a~1b/1", exact.ErrNumber},
		{"infinity", float32(math.Inf(-1)), "", exact.ErrNumber},
		{"text that is not UTF-8", product{Amount: "1", Tags: []string{"a", "\xff"}}, "/tags/1", exact.ErrInvalidText},
		{"a name that is not UTF-8", map[string]int{"\xff": 1}, "", exact.ErrInvalidText},
		{"a name twice in JSON at hand", []any{json.RawMessage(`{"a":1,"a":2}`)}, "/0/a", exact.ErrDuplicateName},
		{"a surrogate in JSON at hand", []any{json.RawMessage(`"\ud800"`)}, "/0", exact.ErrSyntax},
		{"a type that has no JSON", []any{1, func() {}}, "/1", exact.ErrType},
		{"nesting beyond the limit", deep, strings.Repeat("/0", 64), exact.ErrDepth},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := exact.Encode(test.value)
			requireError(t, err, exact.Error{Path: test.path, Offset: -1, Cause: test.cause})
		})
	}
}

func TestEncodeRefusesACycle(t *testing.T) {
	t.Parallel()
	type node struct {
		Next *node `json:"next"`
	}
	cycle := &node{}
	cycle.Next = cycle
	if _, err := exact.Encode(cycle); !errors.Is(err, exact.ErrType) {
		t.Errorf("got %v; want ErrType", err)
	}
}

func TestFromTreeRefusesWithThePath(t *testing.T) {
	t.Parallel()
	cycle := map[string]any{}
	cycle["a"] = cycle
	for _, test := range []struct {
		name string
		tree any
		want exact.Error // but for Detail
	}{
		{"another Go type", map[string]any{"a/b": []any{1.5}}, exact.Error{Path: "/a~1b/0", Cause: exact.ErrType}},
		{"an empty number", []any{json.Number("1"), json.Number("")}, exact.Error{Path: "/1", Cause: exact.ErrNumber}},
		{"text that is not UTF-8", []any{"\xff"}, exact.Error{Path: "/0", Cause: exact.ErrInvalidText}},
		{"a name that is not UTF-8", []any{map[string]any{"\xff": nil}}, exact.Error{Path: "/0", Cause: exact.ErrInvalidText}},
		{"a cycle", cycle, exact.Error{Path: strings.Repeat("/a", 1000), Cause: exact.ErrDepth}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := exact.FromTree(test.tree)
			test.want.Offset = -1
			requireError(t, err, test.want)
		})
	}
}
