package runtime

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func TestTextfShowsEveryValueAsItIs(t *testing.T) {
	t.Parallel()
	type named string
	text, number := "dark", int64(7)
	var none *string
	for _, test := range []struct {
		name  string
		value any
		want  string
	}{
		{"text", "dark mode", "dark mode"},
		{"named text", named("dark"), "dark"},
		{"pointer", &text, "dark"},
		{"nil pointer", none, "(none)"},
		{"nil", nil, "(none)"},
		{"nil slice", []string(nil), "(none)"},
		{"integer", int64(math.MinInt64), "-9223372036854775808"},
		{"pointer to integer", &number, "7"},
		{"big number", json.Number("9007199254740993.10"), "9007199254740993.10"},
		{"bool", true, "true"},
		{"list", []string{"a", "b\u202e"}, `["a","b\u202e"]`},
		{"map", map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{"not a number", math.NaN(), "(a float64 that has no text)"},
		{"line break", "a\r\nRefused\t", `a\r\nRefused\t`},
		{"right to left", "a\u202eb\u2066c", `a\u202eb\u2066c`},
		{"zero width", "a\u200bb\ufeff", `a\u200bb\ufeff`},
		{"line separator", "a\u2028b\u0085", `a\u2028b\u0085`},
		{"tag characters", "a\U000e0041", `a\U000e0041`},
		{"variation selector", "a\ufe0f\U000e0101", `a\ufe0f\U000e0101`},
		{"space that is not one", "a\u00a0b\u3164", `a\u00a0b\u3164`},
		{"no text", "a\xffb", `a\xffb`},
		{"the replacement character itself", "a\ufffdb", "a\ufffdb"},
		{"other scripts", "été 東京 سلام 👍", "été 東京 سلام 👍"},
		{"verbs of the format", "100%v", "100%v"},
	} {
		if got := Textf("=%v=", test.value); got != "="+test.want+"=" {
			t.Errorf("%s: %s, want =%s=", test.name, got, test.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	for _, s := range []string{"", "dark", "a\nb", "\u202e\u2066", "\xff\xfe", "\U000e0041", `\u202e`, "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := visible(s)
		if !utf8.ValidString(got) {
			t.Errorf("%q became %q, which is no text", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r)
		}); i >= 0 {
			t.Errorf("%q became %q, which hides something at %d", s, got, i)
		}
		if visible(got) != got {
			t.Errorf("%q became %q, which becomes something else", s, got)
		}
	})
}

// Raw bytes of an answer hide nothing, and parse to what they stand for.
func FuzzEscapedJSON(f *testing.F) {
	for _, s := range []string{"", "dark", "\u202e\u2066", "\U000e0041\ufe0f", "\x7f\u009b2J", "\u2028", `\u202e`, "\\\u200b", "<&>"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		if !utf8.ValidString(key) || !utf8.ValidString(text) {
			t.Skip()
		}
		value, err := exact.FromTree(text)
		if err != nil {
			t.Skip()
		}
		got, err := marshal(map[string]any{key: json.RawMessage(value)})
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(got, func(r rune) bool { return !seen(r) }); i >= 0 {
			t.Errorf("%q hides something at %d", got, i)
		}
		var back map[string]string
		if err := json.Unmarshal(got, &back); err != nil || back[key] != text {
			t.Errorf("%q parses to %q, not %q: %v", got, back[key], text, err)
		}
	})
}
