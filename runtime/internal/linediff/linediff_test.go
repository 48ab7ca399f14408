package linediff_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/internal/linediff"
)

func TestLongTextIsShownByTheLinesThatDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, before, after string
		want                []string
	}{
		{"one line", "a", "b", nil},
		{"equal", "a\nb", "a\nb", nil},
		{"a line in the middle", "a\nb\nc\n", "a\nB\nc\n", []string{"@@ -1,3 +1,3 @@", " a", "-b", "+B", " c"}},
		{"a line comes at the end", "a\nb\n", "a\nb\nc\n", []string{"@@ -1,2 +1,3 @@", " a", " b", "+c"}},
		{"a line break comes", "a\nb", "a\nb\n", []string{"@@ -1,2 +1,2 @@", " a", "-b", `\ no line break at the end`, "+b"}},
		{"one line becomes two", "a", "a\nb", []string{"@@ -1,1 +1,2 @@", "-a", `\ no line break at the end`, "+a", "+b", `\ no line break at the end`}},
		{"a text that poses as a diff", "a\n", "a\n@@ -9,9 +9,9 @@\n", []string{"@@ -1,1 +1,2 @@", " a", "+@@ -9,9 +9,9 @@"}},
		{"line ends of another system", "a\r\nb\n", "a\nb\n", []string{"@@ -1,2 +1,2 @@", "-a\r", "+a", " b"}},
	} {
		got := linediff.Of(test.before, test.after)
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", test.name, diff)
		}
	}
}

func TestLineDiffIsCutInTheMiddleAndSaysSo(t *testing.T) {
	t.Parallel()
	var before, after strings.Builder
	for i := range 300 {
		fmt.Fprintf(&before, "old %d\n", i)
		fmt.Fprintf(&after, "new %d\n", i)
	}
	const maxLines, maxChars = 100, 500
	whole := linediff.Of(before.String(), after.String())
	lines, cut := linediff.Bounded(whole, maxLines, maxChars)
	if len(whole) != 601 || len(lines) != maxLines+1 || !cut {
		t.Fatalf("%d lines of %d, cut: %t", len(lines), len(whole), cut)
	}
	if lines[0] != "@@ -1,300 +1,300 @@" || lines[maxLines/2] != "… (501 lines left out) …" || lines[maxLines] != "+new 299" {
		t.Errorf("%q", lines)
	}
	long := []string{"-" + strings.Repeat("x", 2*maxChars)}
	if lines, cut = linediff.Bounded(long, maxLines, maxChars); !cut || !strings.Contains(lines[0], "501 characters left out") {
		t.Errorf("%t %q", cut, lines)
	}
}

// The lines of a diff make the later text of the earlier one.
func FuzzLineDiffReconstructs(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n")
	f.Add("a\nb", "a\nb\n")
	f.Add("\n\n\n", "")
	f.Add(strings.Repeat("x\ny\n", 20), strings.Repeat("y\nx\n", 19)+"\\ no line break at the end\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		if !utf8.ValidString(before) || !utf8.ValidString(after) {
			return
		}
		lines := linediff.Of(before, after)
		if lines == nil {
			if before != after && strings.Contains(before+after, "\n") {
				t.Errorf("%q and %q differ, and no line says so", before, after)
			}
			return
		}
		if got := patch(t, before, lines); got != after {
			t.Errorf("%q by %q becomes %q, not %q", before, lines, got, after)
		}
	})
}

// patch applies the lines of a diff.
func patch(t *testing.T, text string, lines []string) string {
	t.Helper()
	old := strings.SplitAfter(text, "\n")
	if old[len(old)-1] == "" {
		old = old[:len(old)-1]
	}
	var made strings.Builder
	next := 0
	for i, l := range lines {
		end := "\n"
		if i+1 < len(lines) && lines[i+1] == `\ no line break at the end` {
			end = ""
		}
		switch content := l[1:] + end; l[0] {
		case '@':
			start, _, _ := strings.Cut(strings.TrimPrefix(l, "@@ -"), ",")
			from, err := strconv.Atoi(start)
			if err != nil {
				t.Fatalf("%q: %v", l, err)
			}
			for ; next < from-1; next++ {
				made.WriteString(old[next])
			}
		case ' ', '-':
			if next >= len(old) || old[next] != content {
				t.Fatalf("%q is not line %d of %q", l, next+1, old)
			}
			next++
			if l[0] == ' ' {
				made.WriteString(content)
			}
		case '+':
			made.WriteString(content)
		}
	}
	return made.String() + strings.Join(old[next:], "")
}
