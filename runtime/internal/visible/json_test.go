package visible_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

func TestMarshalLeavesWhatReadersSee(t *testing.T) {
	t.Parallel()
	got, err := visible.Marshal(map[string]string{"<a&b>": "été 👍\u202e"})
	if want := `{"<a&b>":"été 👍\u202e"}`; err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	if got, err := visible.Marshal(make(chan int)); err == nil {
		t.Errorf("a channel became %s", got)
	}
}

// Raw bytes hide nothing, and parse to what they stand for.
func FuzzEscapedJSON(f *testing.F) {
	for _, s := range []string{"", "dark", "\u202e\u2066", "\U000e0041\ufe0f", "\x7f\u009b2J", "\u2028", `\u202e`, "\\\u200b", "<&>"} {
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		if !utf8.ValidString(key) || !utf8.ValidString(text) {
			return
		}
		got, err := visible.Marshal(map[string]string{key: text})
		if err != nil {
			t.Fatal(err)
		}
		if i := bytes.IndexFunc(got, func(r rune) bool { return visible.Text(string(r)) != string(r) }); i >= 0 {
			t.Errorf("%q hides something at %d", got, i)
		}
		var back map[string]string
		if err := json.Unmarshal(got, &back); err != nil || back[key] != text {
			t.Errorf("%q parses to %q, not %q: %v", got, back[key], text, err)
		}
	})
}
