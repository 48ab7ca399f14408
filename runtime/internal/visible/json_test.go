package visible_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// Raw bytes hide nothing, and parse to what they stand for.
func FuzzEscapedJSON(f *testing.F) {
	for _, s := range []string{"", "dark", "\u202e\u2066", "\U000e0041\ufe0f", "\x7f\u009b2J", "\u2028", `\u202e`, "\\\u200b", "<&>"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		if !utf8.ValidString(key) || !utf8.ValidString(text) {
			t.Skip()
		}
		document, err := exact.FromTree(map[string]any{key: text})
		if err != nil {
			t.Skip()
		}
		got := visible.JSON(document)
		if i := bytes.IndexFunc(got, func(r rune) bool { return visible.Text(string(r)) != string(r) }); i >= 0 {
			t.Errorf("%q hides something at %d", got, i)
		}
		var back map[string]string
		if err := json.Unmarshal(got, &back); err != nil || back[key] != text {
			t.Errorf("%q parses to %q, not %q: %v", got, back[key], text, err)
		}
	})
}
