package runtime_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
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
		if got := runtime.Textf("=%v=", test.value); got != "="+test.want+"=" {
			t.Errorf("%s: %s, want =%s=", test.name, got, test.want)
		}
	}
}
