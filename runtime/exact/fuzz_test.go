package exact_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

var fuzzSeeds = []string{
	`{"b":1.50,"a":[1e3,-0,1e-7,9007199254740993]}`, `["\ude00\ud83d"]`, "\"\xff\"", `"\ud800"`, `"\ufffd"`,
	`{"amount":10,"Amount":9999}`, "{\"\ufb33\":1,\"\U0001F600\":2}", `{"a":1,"a":1}`, `[1e400,1e401,0e999]`, `NaN`,
	`{"id":9223372036854775807,"amount":1.5,"kind":"x","tags":[],"note":null,"free":{"a":[{}]}}`, `[[[[]]]]`, ` 1 `, ``,
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := exact.Canonical(raw, exact.DefaultLimits)
		if err != nil {
			return
		}
		again, err := exact.Canonical(got, exact.DefaultLimits)
		if err != nil || !bytes.Equal(got, again) {
			t.Fatalf("the canonical form %s of %q became %s, %v", got, raw, again, err)
		}
		if len(got) > exact.DefaultLimits.Bytes {
			t.Fatalf("%d bytes became %d", len(raw), len(got))
		}
		if diff := cmp.Diff(oracle(t, raw), oracle(t, got), ratComparer); diff != "" {
			t.Fatalf("the canonical form of %q says something else: -raw +canonical\n%s", raw, diff)
		}
		requireSorted(t, got)
	})
}

// oracle reads JSON with another reader, and its numbers as exact fractions.
func oracle(t *testing.T, text []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		t.Fatalf("encoding/json does not read %q: %v", text, err)
	}
	return withFractions(t, tree)
}

var ratComparer = cmp.Comparer(func(a, b *big.Rat) bool { return a.Cmp(b) == 0 })

func withFractions(t *testing.T, tree any) any {
	t.Helper()
	switch v := tree.(type) {
	case json.Number:
		return fraction(t, v.String())
	case []any:
		for i := range v {
			v[i] = withFractions(t, v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = withFractions(t, v[name])
		}
	}
	return tree
}

// fraction is the value of a decimal number that was accepted.
func fraction(t *testing.T, literal string) *big.Rat {
	t.Helper()
	if mantissa, _, _ := strings.Cut(strings.ToLower(literal), "e"); strings.Trim(mantissa, "+-.0") == "" {
		return new(big.Rat) // its exponent may be any
	}
	r, ok := new(big.Rat).SetString(literal)
	if !ok {
		t.Fatalf("math/big does not read %q", literal)
	}
	return r
}

// requireSorted checks the order of members by what it is defined with.
func requireSorted(t *testing.T, canonical []byte) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(canonical))
	if opening, err := dec.Token(); err != nil || opening != json.Delim('{') {
		return
	}
	var names [][]uint16
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, utf16.Encode([]rune(name.(string))))
		if err := dec.Decode(new(json.RawMessage)); err != nil {
			t.Fatal(err)
		}
	}
	if !slices.IsSortedFunc(names, slices.Compare[[]uint16]) {
		t.Fatalf("the members of %s are out of order", canonical)
	}
}

func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"0", "-0.0", "1e3", "1.50", "1e-7", ".5", "5.", "+7", "007", "1e400", "1e-400", "0e999999999", "NaN", "1e", "-"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		got, err := exact.Number(literal)
		if err != nil {
			return
		}
		if again, err := exact.Number(got); err != nil || again != got {
			t.Fatalf("%q became %q and then %q, %v", literal, got, again, err)
		}
		if !json.Valid([]byte(got)) {
			t.Fatalf("%q became %q, which is no JSON", literal, got)
		}
		if longest := len("-0.") + exact.DefaultLimits.Digits + exact.DefaultLimits.Exponent; len(got) > longest {
			t.Fatalf("%q became %d characters long", literal, len(got))
		}
		if fraction(t, literal).Cmp(fraction(t, got)) != 0 {
			t.Fatalf("%q became %q, another value", literal, got)
		}
	})
}

func FuzzDecodeEncode(f *testing.F) {
	for _, seed := range fuzzSeeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		canonical, err := exact.Canonical(raw, exact.DefaultLimits)
		if err != nil {
			_ = exact.Decode(raw, new(product)) // any text may be asked for; it must only not panic
			return
		}
		var untyped any
		if err := exact.Decode(canonical, &untyped); err != nil {
			t.Fatalf("Decode(%s): %v", canonical, err)
		}
		if back, err := exact.Encode(untyped); err != nil || !bytes.Equal(back, canonical) {
			t.Fatalf("%s became %s, %v", canonical, back, err)
		}
		var typed, again product
		if err := exact.Decode(canonical, &typed); err != nil || typed.Amount == "" {
			return
		}
		text, err := exact.Encode(typed)
		if err != nil {
			t.Fatalf("Encode(%+v): %v", typed, err)
		}
		if err := exact.Decode(text, &again); err != nil {
			t.Fatalf("Decode(%s): %v", text, err)
		}
		if once, twice := withoutNil(typed), withoutNil(again); !reflect.DeepEqual(once, twice) {
			t.Fatalf("the value changed: %s", cmp.Diff(once, twice))
		}
	})
}

// withoutNil makes absent lists empty ones where they are required, as Encode does.
func withoutNil(p product) product {
	if p.Tags == nil {
		p.Tags = []string{}
	}
	return p
}
