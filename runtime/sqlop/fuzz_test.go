package sqlop_test

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// seeds are texts that a database might give for a number.
var seeds = []string{"0", "-0", "10.10", "1e6", "+5", ".5", "5.", "007", "9007199254740993", "1e400", "1e401", "NaN", "0x10", "1_000", " 1", "1/2", ""}

// FuzzNumberText makes sure that a number read from text is of the same value.
func FuzzNumberText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readOne[json.Number](t.Context(), (&fake{value: text}).db(t), "", sqlop.Number)
		if err != nil {
			return
		}
		if !json.Valid([]byte(got)) || rational(t, string(got)).Cmp(rational(t, text)) != 0 {
			t.Errorf("%q is read as %s", text, got)
		}
	})
}

// FuzzIntegerText makes sure that an integer read from text is of the same value.
func FuzzIntegerText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readOne[int64](t.Context(), (&fake{value: []byte(text)}).db(t), "", sqlop.Integer)
		if err != nil {
			return
		}
		if new(big.Rat).SetInt64(got).Cmp(rational(t, text)) != 0 {
			t.Errorf("%q is read as %d", text, got)
		}
	})
}

// FuzzWideIntegerText makes sure that an integer of any size read from text is of the same value.
func FuzzWideIntegerText(f *testing.F) {
	for _, s := range seeds {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readOne[json.Number](t.Context(), (&fake{value: text}).db(t), "", sqlop.WideInteger)
		if err != nil {
			return
		}
		if n, ok := new(big.Int).SetString(string(got), 10); !ok || new(big.Rat).SetInt(n).Cmp(rational(t, text)) != 0 {
			t.Errorf("%q is read as %s", text, got)
		}
	})
}

// FuzzRawText makes sure that raw JSON says what the text says, and goes back as a parameter.
func FuzzRawText(f *testing.F) {
	for _, s := range []string{`{"b":1.50,"a":[null]}`, `"a"`, `null`, `1e3`, `{"a":1,"a":2}`, `a`, ``} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		canonical, invalid := exact.Canonical([]byte(text), exact.DefaultLimits)
		got, err := readOne[json.RawMessage](t.Context(), (&fake{value: text}).db(t), "", sqlop.Raw)
		if (err == nil) != (invalid == nil) || string(got) != string(canonical) {
			t.Errorf("%q is read as %s, %v, want %s, %v", text, got, err, canonical, invalid)
		}
	})
}

// FuzzFloats makes sure that an integer or number read from a float is of the same value.
func FuzzFloats(f *testing.F) {
	for _, v := range []float64{0, 1e6, 0.1, -1.5, 1 << 53, 1e300, 5e-324} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		db := (&fake{value: v}).db(t)
		if n, err := readOne[int64](t.Context(), db, "", sqlop.Integer); err == nil && float64(n) != v {
			t.Errorf("%v is read as %d", v, n)
		}
		n, err := readOne[json.Number](t.Context(), db, "", sqlop.Number)
		if err != nil {
			return
		}
		if back, err := n.Float64(); err != nil || back != v {
			t.Errorf("%v is read as %s", v, n)
		}
		if same, err := readOne[float64](t.Context(), db, "", sqlop.Float); err != nil || same != v {
			t.Errorf("%v is read as %v, %v", v, same, err)
		}
	})
}

// FuzzText makes sure that text comes back as it is, or not at all if it is not UTF-8.
func FuzzText(f *testing.F) {
	for _, s := range []string{"", "a\x00b", "\xff", "\u202e", "\U0001F600"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, err := readOne(t.Context(), (&fake{value: text}).db(t), "", sqlop.Text[string])
		if (err == nil) != utf8.ValidString(text) || err == nil && got != text {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	})
}

// rational is the value of the text of a decimal number.
func rational(t *testing.T, text string) *big.Rat {
	t.Helper()
	mantissa, exponent, scaled := strings.Cut(strings.ToLower(text), "e")
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		t.Fatalf("%q is no number", text)
	}
	power := 0
	if scaled && digits.Sign() != 0 {
		var err error
		if power, err = strconv.Atoi(exponent); err != nil {
			t.Fatalf("%q is no number: %v", text, err)
		}
	}
	power -= len(fraction)
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil)
	if power < 0 {
		return new(big.Rat).SetFrac(digits, scale)
	}
	return new(big.Rat).SetInt(digits.Mul(digits, scale))
}
