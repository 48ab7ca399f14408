package exact_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func TestCanonicalSpellsEachValueOneWay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, raw, want string }{
		{"literals", " [ null , true , false ] ", `[null,true,false]`},
		{"empty containers", `{"a":{ },"b":[ ]}`, `{"a":{},"b":[]}`},
		{"integers beyond 2^53", `9007199254740993`, `9007199254740993`},
		{"integers beyond int64", `-18446744073709551617`, `-18446744073709551617`},
		{"numbers of one value", `[1,1.0,10e-1,0.1e1,1E0,1e+0]`, `[1,1,1,1,1,1]`},
		{"members in order", `{"b":1,"a":2,"":3,"aa":4,"B":5}`, `{"":3,"B":5,"a":2,"aa":4,"b":1}`},
		{"nested members in order", `[{"b":{"d":1,"c":2},"a":0}]`, `[{"a":0,"b":{"c":2,"d":1}}]`},
		{"items keep their order", `[3,1,2]`, `[3,1,2]`},
		{"UTF-16 order, not UTF-8 order", "{\"\ufb33\":1,\"\U0001F600\":2,\"\u00f6\":3}", "{\"\u00f6\":3,\"\U0001F600\":2,\"\ufb33\":1}"},
		{"UTF-16 order after a common start", "{\"x\uffff\":1,\"x\U00010000\":2}", "{\"x\U00010000\":2,\"x\uffff\":1}"},
		{"UTF-16 order within what both agree on", "{\"\ue001\":1,\"\ue000\":2,\"\U00010001\":3,\"\U00010000\":4}", "{\"\U00010000\":4,\"\U00010001\":3,\"\ue000\":2,\"\ue001\":1}"},
		{"fewest escapes", `"\u0041\/\u00e9\ud83d\ude00\u2028<&>"`, "\"A/é\U0001F600\u2028<&>\""},
		{"escapes that must be", `"\"\\\b\f\n\r\t\u0000\u001F"`, `"\"\\\b\f\n\r\t\u0000\u001f"`},
		{"names have escapes too", `{"\u0061\n":1}`, `{"a\n":1}`},
		{"a replacement character that was sent", `["\ufffd"]`, "[\"\ufffd\"]"},
		{"names that differ in case stay apart", `{"amount":10,"Amount":9999}`, `{"Amount":9999,"amount":10}`},
		{"names that fold alike stay apart", "{\"status\":\"a\",\"\u017ftatus\":\"b\"}", "{\"status\":\"a\",\"\u017ftatus\":\"b\"}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := exact.Canonical([]byte(test.raw), exact.DefaultLimits)
			if err != nil || string(got) != test.want {
				t.Fatalf("Canonical(%s) = %s, %v; want %s", test.raw, got, err, test.want)
			}
			again, err := exact.Canonical(got, exact.DefaultLimits)
			if err != nil || !bytes.Equal(again, got) {
				t.Errorf("Canonical(%s) = %s, %v; want no change", got, again, err)
			}
		})
	}
}

func TestCanonicalRefusesWithThePlace(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, raw string
		want      exact.Error // but for Detail
	}{
		{"nothing", ``, exact.Error{Offset: 0, Cause: exact.ErrSyntax}},
		{"white space alone", "\n ", exact.Error{Offset: 2, Cause: exact.ErrSyntax}},
		{"an end too early", `{"a":["x`, exact.Error{Path: "/a/0", Offset: 8, Cause: exact.ErrSyntax}},
		{"an end in a surrogate pair", `["\ud83d`, exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrSyntax}},
		{"a second value", `{} {}`, exact.Error{Offset: 3, Cause: exact.ErrSyntax}},
		{"text after the value", `[1]x`, exact.Error{Offset: 3, Cause: exact.ErrSyntax}},
		{"a byte order mark", "\ufeff{}", exact.Error{Offset: 0, Cause: exact.ErrSyntax}},
		{"a comma too many", `{"a":[1,]}`, exact.Error{Path: "/a", Offset: 7, Cause: exact.ErrSyntax}},
		{"a comma before the end of an object", `{"a":1,}`, exact.Error{Offset: 6, Cause: exact.ErrSyntax}},
		{"brackets that do not match", `{"a":[1}`, exact.Error{Path: "/a", Offset: 7, Cause: exact.ErrSyntax}},
		{"a name that is no string", `{1:2}`, exact.Error{Offset: 1, Cause: exact.ErrSyntax}},
		{"a zero in front", `{"a":01}`, exact.Error{Offset: 6, Cause: exact.ErrSyntax}},
		{"a plus sign", `[+1]`, exact.Error{Path: "/0", Offset: 1, Cause: exact.ErrSyntax}},
		{"a control character", "[\"a\nb\"]", exact.Error{Path: "/0", Offset: 3, Cause: exact.ErrSyntax}},
		{"NaN", `{"a":[0,NaN]}`, exact.Error{Path: "/a/1", Offset: 8, Cause: exact.ErrNumber}},
		{"Infinity", `{"a":Infinity}`, exact.Error{Path: "/a", Offset: 5, Cause: exact.ErrNumber}},
		{"negative infinity", `{"a":-Infinity}`, exact.Error{Path: "/a", Offset: 6, Cause: exact.ErrNumber}},
		{"a lone high surrogate", `{"a":"x\ud800"}`, exact.Error{Path: "/a", Offset: 7, Cause: exact.ErrInvalidText}},
		{"a lone low surrogate", `["\uDC00x"]`, exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrInvalidText}},
		{"a surrogate pair in reverse", `["\ude00\ud83d"]`, exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrInvalidText}},
		{"a surrogate and another escape", `["\ud83d\u0041"]`, exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrInvalidText}},
		{"a lone surrogate in a name", `{"a":{"\ud800":1}}`, exact.Error{Path: "/a", Offset: 7, Cause: exact.ErrInvalidText}},
		{"bytes that are not UTF-8", "[\"\xff\"]", exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrInvalidText}},
		{"a surrogate in UTF-8", "[\"\xed\xa0\x80\"]", exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrInvalidText}},
		{"an overlong character", "[\"\xc0\xaf\"]", exact.Error{Path: "/0", Offset: 2, Cause: exact.ErrInvalidText}},
		{"a name twice", `{"a":1,"b":2,"a":1}`, exact.Error{Path: "/a", Offset: 13, Cause: exact.ErrDuplicateName}},
		{"a name twice, spelt differently", `{"a":1,"\u0061":1}`, exact.Error{Path: "/a", Offset: 7, Cause: exact.ErrDuplicateName}},
		{"a path with characters to escape", `{"a/b":[{"c~d":1,"c~d":2}]}`, exact.Error{Path: "/a~1b/0/c~0d", Offset: 17, Cause: exact.ErrDuplicateName}},
		{"a number too large", `{"a":1e401}`, exact.Error{Path: "/a", Offset: 5, Cause: exact.ErrNumber}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := exact.Canonical([]byte(test.raw), exact.DefaultLimits)
			requireError(t, err, test.want)
		})
	}
}

// requireError compares all but the Detail, which must be there.
func requireError(t *testing.T, err error, want exact.Error) {
	t.Helper()
	var got *exact.Error
	if !errors.As(err, &got) {
		t.Fatalf("got %v; want an *exact.Error", err)
	}
	if got.Detail == "" {
		t.Error("the error has no detail")
	}
	if !errors.Is(err, want.Cause) {
		t.Errorf("got %v; want the cause %v", err, want.Cause)
	}
	if got.Path != want.Path || got.Offset != want.Offset {
		t.Errorf("got %v at %q, byte %d; want %q, byte %d", err, got.Path, got.Offset, want.Path, want.Offset)
	}
}

func TestErrorSaysWhatWhereAndWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := exact.Canonical([]byte("{\"a\u202e\":{\"b\":1,\"b\":2}}"), exact.DefaultLimits)
	want := `duplicate name: "b" appears more than once in its object; keep one (at /a\u202e/b, byte 15)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestLimitsHoldAtTheirEdge(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string { return strings.Repeat("[", depth) + strings.Repeat("]", depth) }
	for _, test := range []struct {
		name, raw string
		limits    exact.Limits
		want      error
	}{
		{"depth, reached", nested(64), exact.DefaultLimits, nil},
		{"depth, exceeded", nested(65), exact.DefaultLimits, exact.ErrDepth},
		{"depth of objects, exceeded", strings.Repeat(`{"a":`, 65) + "1" + strings.Repeat("}", 65), exact.DefaultLimits, exact.ErrDepth},
		{"a depth of one's own, reached", nested(2), exact.Limits{Depth: 2}, nil},
		{"a depth of one's own, exceeded", nested(3), exact.Limits{Depth: 2}, exact.ErrDepth},
		{"a depth beyond what is ever read", nested(1001), exact.Limits{Depth: 1 << 30}, exact.ErrDepth},
		{"bytes, reached", `"123456"`, exact.Limits{Bytes: 8}, nil},
		{"bytes, exceeded", `"1234567"`, exact.Limits{Bytes: 8}, exact.ErrTooLarge},
		{"bytes by default, exceeded", `"` + strings.Repeat("x", 1<<20) + `"`, exact.Limits{}, exact.ErrTooLarge},
		{"bytes of numbers written out, reached", `[1e10]`, exact.Limits{Bytes: 13}, nil},
		{"bytes of numbers written out, exceeded", `[1e10]`, exact.Limits{Bytes: 12}, exact.ErrTooLarge},
		{"digits, reached", "0." + strings.Repeat("1", 400), exact.DefaultLimits, nil},
		{"digits, exceeded", "1." + strings.Repeat("1", 400), exact.DefaultLimits, exact.ErrNumber},
		{"digits that say nothing are not counted", "0." + strings.Repeat("0", 399) + "1" + strings.Repeat("0", 500), exact.DefaultLimits, nil},
		{"digits of one's own, exceeded", `[123]`, exact.Limits{Digits: 2}, exact.ErrNumber},
		{"exponent, reached", `[1e308,-1.7976931348623157e308,1e-400]`, exact.DefaultLimits, nil},
		{"exponent, exceeded", `-1.798e308`, exact.DefaultLimits, exact.ErrNumber},
		{"negative exponent, exceeded", `1e-401`, exact.DefaultLimits, exact.ErrNumber},
		{"exponent, exceeded by digits", `18e307`, exact.DefaultLimits, exact.ErrNumber},
		{"negative exponent, exceeded by digits", `1.2e-400`, exact.DefaultLimits, exact.ErrNumber},
		{"an exponent that overflows", `1e99999999999999999999`, exact.DefaultLimits, exact.ErrNumber},
		{"a negative exponent that overflows", `1e-99999999999999999999`, exact.DefaultLimits, exact.ErrNumber},
		{"an exponent that overflows, of zero", `0e99999999999999999999`, exact.DefaultLimits, nil},
		{"an exponent of one's own, exceeded", `[1000]`, exact.Limits{Exponent: 2}, exact.ErrNumber},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := exact.Canonical([]byte(test.raw), test.limits)
			if !errors.Is(err, test.want) {
				t.Fatalf("got %v; want %v", err, test.want)
			}
			if test.want != nil {
				return
			}
			again, err := exact.Canonical(got, test.limits)
			if diff := cmp.Diff(string(got), string(again)); err != nil || diff != "" {
				t.Errorf("the canonical form is not within the same limits: %v\n%s", err, diff)
			}
		})
	}
}

func TestCanonicalLeavesItsInputAlone(t *testing.T) {
	t.Parallel()
	raw := []byte(`{"b":"\u0041","a":1e2}`)
	kept := bytes.Clone(raw)
	if _, err := exact.Canonical(raw, exact.DefaultLimits); err != nil || !bytes.Equal(raw, kept) {
		t.Errorf("the input became %s, %v", raw, err)
	}
}

func TestHashDistinguishesWhatCanonicalDoes(t *testing.T) {
	t.Parallel()
	hash := func(raw string) string {
		canonical, err := exact.Canonical([]byte(raw), exact.DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		return exact.Hash(canonical)
	}
	if got, want := hash(`{ }`), "sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	if hash(`{"id":9007199254740993}`) == hash(`{"id":9007199254740992}`) {
		t.Error("two integers that are one float64 have one hash")
	}
	if hash(`{"a":1,"b":1.0}`) != hash(`{"b":1,"a":10e-1}`) {
		t.Error("two spellings of one value have two hashes")
	}
}

func BenchmarkCanonical(b *testing.B) {
	raw := []byte(`{"id":9007199254740993,"name":"A product with a name","price":12.50,"tags":["a","b","c"],` +
		`"active":true,"note":null,"size":{"width":10,"height":20.0}}`)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := exact.Canonical(raw, exact.DefaultLimits); err != nil {
			b.Fatal(err)
		}
	}
}
