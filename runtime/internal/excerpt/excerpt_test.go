package excerpt_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
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
		if got := excerpt.Of(test.text, test.limit).String(); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func FuzzExcerpt(f *testing.F) {
	for _, s := range []string{"", "abcdefgh", "été 東京 👍👍👍", "\xe2\x82a\xff\xfe\xf0", "\u202e\u2066\u200b"} {
		f.Add(s, 5, 3)
	}
	f.Add("000000\xf0\x91\x9f0\x910000000", 9, 0) // what is kept would be one character, were nothing between it
	f.Fuzz(func(t *testing.T, s string, limit, at int) {
		limit, at = 8+(limit&0x7f)%50, max(excerpt.Nowhere, at)
		e := excerpt.Around(s, limit, at)
		kept, left, total := 0, 0, utf8.RuneCountInString(s)
		for _, piece := range e.Pieces {
			kept += utf8.RuneCountInString(piece)
		}
		for _, n := range e.Left {
			left += n
		}
		switch {
		case len(e.Pieces) != len(e.Left)+1 || kept+left != total || kept > max(limit, total-left):
			t.Errorf("%q at %d: %d kept and %d left out of %d", s, limit, kept, left, total)
		case total <= limit && e.IsCut(), total > limit && kept > limit:
			t.Errorf("%q at %d: %q", s, limit, e)
		case !strings.HasPrefix(s, e.Pieces[0]) || !strings.HasSuffix(s, e.Pieces[len(e.Pieces)-1]):
			t.Errorf("%q at %d: %q has not both ends of it", s, limit, e)
		case at >= 0 && at < total && !keepsAt(e, at):
			t.Errorf("%q at %d: %q is without character %d", s, limit, e, at)
		}
		if utf8.ValidString(s) && !utf8.ValidString(e.String()) {
			t.Errorf("%q at %d became %q, which is no text", s, limit, e)
		}
	})
}

// keepsAt tells whether the character at that index is kept.
func keepsAt(e excerpt.Excerpt, at int) bool {
	from := 0
	for i, piece := range e.Pieces {
		to := from + utf8.RuneCountInString(piece)
		if at >= from && at < to {
			return true
		}
		if i < len(e.Left) {
			from = to + e.Left[i]
		}
	}
	return false
}

func TestExcerptKeepsWhereTwoTextsDiffer(t *testing.T) {
	t.Parallel()
	const limit = 2000
	text := strings.Repeat("é", 20000)
	for at := range 20000 {
		if at%97 != 0 && at > 2100 && at < 17900 {
			continue
		}
		if e := excerpt.Around(text, limit, at); !keepsAt(e, at) || at < 19990 && !keepsAt(e, at+10) {
			t.Fatalf("%d is not in %q", at, e)
		}
	}
}
