// Package linediff says what changes between two texts of several lines, by the lines that do.
package linediff

import (
	"fmt"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"github.com/changesetgen/changesetgen/runtime/internal/excerpt"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// unchanged is how many lines that do not change are shown around those that do.
const unchanged = 3

// Of lists what changes between two texts, if one of them has several lines; nil otherwise. Its lines are those of a
// unified diff: the first character says what a line is, so that no text can pose as a line of ours.
func Of(before, after string) []string {
	if before == after || !strings.Contains(before, "\n") && !strings.Contains(after, "\n") {
		return nil
	}
	d, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), unchanged)
	if err != nil {
		return nil // of edits that do not fit the text; the values are shown as they are
	}
	var lines []string
	for _, h := range d.Hunks {
		lines = append(lines, hunkHeader(h))
		for _, l := range h.Lines {
			lines = append(lines, diffLine(l)...)
		}
	}
	return lines
}

// hunkHeader says which lines of both texts follow.
func hunkHeader(h *udiff.Hunk) string {
	was, now := 0, 0
	for _, l := range h.Lines {
		if l.Kind != udiff.Insert {
			was++
		}
		if l.Kind != udiff.Delete {
			now++
		}
	}
	return fmt.Sprintf("@@ -%d,%d +%d,%d @@", h.FromLine, was, h.ToLine, now)
}

// unended follows a last line that no line break ends.
const unended = `\ no line break at the end`

func diffLine(l udiff.Line) []string {
	mark := map[udiff.OpKind]string{udiff.Delete: "-", udiff.Insert: "+", udiff.Equal: " "}[l.Kind]
	content, ended := strings.CutSuffix(l.Content, "\n")
	if ended {
		return []string{mark + content}
	}
	return []string{mark + content, unended}
}

// Visible makes the content of a line visible. What stands before it, and the lines of our own making, are.
func Visible(l string) string {
	if l != "" && strings.ContainsRune("-+ ", rune(l[0])) {
		return l[:1] + visible.Line(l[1:])
	}
	return l
}

// Bounded are the lines as they are repeated where there is room for so many lines, and for so many characters of each.
// Those that are left out are counted in the middle, where it says so: what is appended to a text is seen.
func Bounded(lines []string, maxLines, maxChars int) (bounded []string, cut bool) {
	left := len(lines) - maxLines
	differences := differencesIn(lines)
	for i, l := range lines {
		if left > 0 && i == maxLines/2 {
			bounded = append(bounded, excerpt.LeftOut(left, "line"))
		}
		if left > 0 && i >= maxLines/2 && i < maxLines/2+left {
			continue
		}
		short := excerpt.Around(l, maxChars, differences[i])
		bounded = append(bounded, short.String())
		cut = cut || short.IsCut()
	}
	return bounded, cut || left > 0
}

// differencesIn tells where each line differs from the one that it comes instead of, or that comes instead of it: the
// first deleted one of several, for which others are inserted, from the first of those, and so on.
func differencesIn(lines []string) []int {
	differences := make([]int, len(lines))
	var deleted []int // that have no line instead of them yet
	for i, l := range lines {
		differences[i] = excerpt.Nowhere
		switch {
		case l == unended:
		case l[0] == '-':
			deleted = append(deleted, i)
		case l[0] == '+' && len(deleted) > 0:
			was := deleted[0]
			deleted = deleted[1:]
			if at := excerpt.FirstDifference(lines[was][1:], l[1:]); at != excerpt.Nowhere {
				differences[was], differences[i] = at+1, at+1 // behind the mark
			}
		case l[0] != '+':
			deleted = nil
		}
	}
	return differences
}
