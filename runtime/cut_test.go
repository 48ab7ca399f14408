package runtime

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestExcerptKeepsBothEndsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text, want string
		limit            int
	}{
		{"short", "abc", "abc", 3},
		{"cut", "abcdefghij", "ab… (6 characters left out) …ij", 4},
		{"odd limit", "abcdef", "ab… (3 characters left out) …f", 3},
		{"one", "abcde", "ab… (1 character left out) …de", 4},
		{"wide characters", strings.Repeat("東", 6), "東… (4 characters left out) …東", 2},
		{"many bytes and few characters", "東京東京", "東京東京", 4},
	} {
		if got := shortened(test.text, test.limit); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	for _, s := range []string{"", "abcdefgh", "été 東京 👍👍👍", "\xe2\x82a\xff\xfe\xf0", "\u202e\u2066\u200b"} {
		f.Add(s, 5)
	}
	f.Fuzz(func(t *testing.T, s string, limit int) {
		limit = 2 + (limit&0x7f)%50
		e := excerptOf(s, limit)
		if !strings.HasPrefix(s, e.head) || !strings.HasSuffix(s, e.tail) || len(e.head)+len(e.tail) > len(s) {
			t.Fatalf("%q at %d: %q and %q are no ends of it", s, limit, e.head, e.tail)
		}
		kept := utf8.RuneCountInString(e.head) + utf8.RuneCountInString(e.tail)
		switch total := utf8.RuneCountInString(s); {
		case total <= limit && (e.left != 0 || e.head != s):
			t.Errorf("%q at %d was cut", s, limit)
		case total > limit && (kept != limit || e.left != total-limit):
			t.Errorf("%q at %d: %d kept and %d left out of %d", s, limit, kept, e.left, total)
		}
		if utf8.ValidString(s) && !utf8.ValidString(e.String()) {
			t.Errorf("%q at %d became %q, which is no text", s, limit, e)
		}
	})
}
