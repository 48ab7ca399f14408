package visible_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

func TestOnlyWhatTheKindOfTextNeedsStays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ text, value, line, plain, lines string }{
		{"dark mode", `dark mode`, `dark mode`, `dark mode`, "dark mode"},
		{`a\nb`, `a\\nb`, `a\\nb`, `a\nb`, `a\nb`},
		{"a\nb", `a\nb`, `a\nb`, `a\nb`, "a\nb"},
		{"  a  b", `\x20{2}a\x20{2}b`, `  a\x20{2}b`, `  a\x20{2}b`, `  a\x20{2}b`},
		{"a\n  b", `a\n\x20{2}b`, `a\n\x20{2}b`, `a\n\x20{2}b`, "a\n  b"},
		{strings.Repeat(" ", 25), `\x20{25}`, `\x20{25}`, `\x20{25}`, `\x20{25}`},
		{"\u009b\u202e", `\u009b\u202e`, `\u009b\u202e`, `\u009b\u202e`, `\u009b\u202e`},
	} {
		got := [...]string{visible.Value(test.text), visible.Line(test.text), visible.Text(test.text), visible.Lines(test.text)}
		if want := [...]string{test.value, test.line, test.plain, test.lines}; got != want {
			t.Errorf("%q: %q, want %q", test.text, got, want)
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
		for _, got := range []string{visible.Value(s), visible.Line(s)} {
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
			if again := visible.Text(got); again != got {
				t.Errorf("%q became %q, which becomes %q", s, got, again)
			}
		}
		if got := visible.Text(s); visible.Text(got) != got {
			t.Errorf("%q became %q, which becomes something else", s, got)
		}
	})
}

// unescaped reads what Value and Line write.
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
