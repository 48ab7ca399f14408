package screen

import (
	"bytes"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
)

// onTerminal is what do writes to a terminal of so many cells.
func onTerminal(width int, do func(*Screen)) string {
	var b bytes.Buffer
	do(&Screen{out: &b, terminal: true, width: width})
	return b.String()
}

// A value that fills the line up to its end must not have its rest stand where lines of ours begin.
func TestValueCannotPoseAsALineByFillingTheOneBefore(t *testing.T) {
	t.Parallel()
	const width = 80
	const forged = "Undo: possible once it is applied."
	for _, fill := range []string{" ", "a", "価", "·  ", "é", "🇩🇪", "👍🏽"} {
		for room := range 2 * width {
			value := "harmless" + strings.Repeat(fill, room/displaywidth.String(fill)) + forged
			got := onTerminal(width, func(s *Screen) {
				s.Line("%v", "x "+value)
				s.Lines("  ", "x\n"+value)
				s.Row("  ", "tea: "+value)
				s.Fields("  ", []Field{{Name: "message", Value: Cell{Text: value}}})
			})
			for line := range strings.SplitSeq(got, "\n") {
				if strings.HasPrefix(strings.TrimLeft(line, " "), "Undo") || displaywidth.String(line) > width {
					t.Fatalf("%q:\n%s", line, got)
				}
			}
		}
	}
}

func TestNoTextBeginsWithTheMarkOfALineThatGoesOn(t *testing.T) {
	t.Parallel()
	got := onTerminal(20, func(s *Screen) { s.Lines("", foldMark+"of nothing") })
	if want := "\\u21b3 of nothing\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLongLineIsFoldedBetweenWordsAndWhole(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"one two three four":    "one two \n↳ three \n↳ four\n",
		"abcdefghijklmnopq":     "abcdefghij\n↳ klmnopq\n",
		"a bcdefghijklmnopq":    "a bcdefghi\n↳ jklmnopq\n",
		"価格価格価格":                "価格価格価\n↳ 格\n",
		"exactly 10":            "exactly 10\n",
		"e\u0301e\u0301e\u0301": "e\u0301e\u0301e\u0301\n",
	} {
		if got := onTerminal(10, func(s *Screen) { s.Line("%v", text) }); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func FuzzFoldLeavesNothingOut(f *testing.F) {
	f.Add("one two three", 10)
	f.Add("価格 \u0301 \\u200b   x", 3)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if width < 1 || width > 1000 || strings.ContainsAny(text, "\n") || strings.HasPrefix(text, foldMark) {
			return
		}
		var whole strings.Builder
		for i, line := range (&Screen{width: width}).fold(text) {
			if i > 0 {
				line = strings.TrimPrefix(line, foldMark)
			}
			whole.WriteString(line)
		}
		if whole.String() != text {
			t.Errorf("%q became %q", text, whole.String())
		}
	})
}
