package runtime

import (
	"bytes"
	"encoding/json"
	"math"
	"regexp"
	"strconv"
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
		{"blank characters", "a\u2800\u115f\u1160\uffa0\U0001d159\ufffcb", `a\u2800\u115f\u1160\uffa0\U0001d159\ufffcb`},
		{"spaces in a row", "  a b  c" + strings.Repeat(" ", 77), `\x20{2}a b\x20{2}c\x20{77}`},
		{"spaces in a row in a list", []string{"a  b"}, `["a\x20{2}b"]`},
		{"what looks like an escape", `a\u200b \x20{2} \`, `a\\u200b \\x20{2} \\`},
		{"what looks like an escape in a list", []string{`a\u200b`}, `["a\\u200b"]`},
		{"the replacement character itself", "a\ufffdb", "a\ufffdb"},
		{"other scripts", "été 東京 سلام 👍", "été 東京 سلام 👍"},
		{"verbs of the format", "100%v", "100%v"},
	} {
		if got := Textf("=%v=", test.value); got != "="+test.want+"=" {
			t.Errorf("%s: %s, want =%s=", test.name, got, test.want)
		}
	}
}

// What is shown of a value hides nothing and can be read back, so no two values look the same.
func FuzzVisible(f *testing.F) {
	for _, s := range []string{
		"", "dark", "a\nb", "\u202e\u2066", "\xff\xfe", "\U000e0041", `\u202e`, "\ufffd", `\\u202e`, "a  b", `a\x20{2}b`, "    a", "\u2800", `\x7f`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{visible(s), visibleLine(s)} {
			if !utf8.ValidString(got) {
				t.Errorf("%q became %q, which is no text", s, got)
			}
			if i := strings.IndexFunc(got, func(r rune) bool {
				return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Bidi_Control, r)
			}); i >= 0 {
				t.Errorf("%q became %q, which hides something at %d", s, got, i)
			}
			if back := unescaped(t, got); back != s {
				t.Errorf("%q became %q, which reads as %q", s, got, back)
			}
			if again := Visible(got); again != got {
				t.Errorf("%q became %q, which becomes %q", s, got, again)
			}
		}
		if got := Visible(s); Visible(got) != got {
			t.Errorf("%q became %q, which becomes something else", s, got)
		}
	})
}

// unescaped reads what visible writes.
func unescaped(t *testing.T, s string) string {
	t.Helper()
	return escapes.ReplaceAllStringFunc(s, func(escape string) string {
		if count, is := strings.CutPrefix(escape, `\x20{`); is {
			n, err := strconv.Atoi(strings.TrimSuffix(count, "}"))
			if err != nil {
				t.Fatal(err)
			}
			return strings.Repeat(" ", n)
		}
		character, err := strconv.Unquote(`"` + escape + `"`)
		if err != nil {
			t.Fatalf("%s: %v", escape, err)
		}
		return character
	})
}

var escapes = regexp.MustCompile(`\\(\\|n|r|t|x20\{[0-9]+\}|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})`)

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
