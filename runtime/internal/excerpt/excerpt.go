// Package excerpt cuts long texts for those who are not shown the whole. What is left out is counted where it was, and is
// never only the end: both ends of a text are what a reader knows it by, and what an attacker appends is seen.
package excerpt

import (
	"fmt"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/internal/plural"
)

// Excerpt is what is shown of a text: its ends, and what is in between where that is not left out.
type Excerpt struct {
	Pieces []string // at least one
	Left   []int    // characters that are left out after each piece but the last
}

// Of keeps the first and the last characters of s, limit of them together.
func Of(s string, limit int) Excerpt { return Around(s, limit, Nowhere) }

// Nowhere is the place of a difference where there is none.
const Nowhere = -1

// Around is Of of a text that differs from another one in the character at that index, which is kept too, with some around
// it.
func Around(s string, limit, at int) Excerpt {
	if len(s) <= limit {
		return Excerpt{Pieces: []string{s}}
	}
	starts := make([]int, 0, len(s)+1) // of the characters, and the end
	for i := 0; i < len(s); {
		starts = append(starts, i)
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	count := len(starts)
	starts = append(starts, len(s))
	if count <= limit {
		return Excerpt{Pieces: []string{s}}
	}
	var e Excerpt
	last := 0
	for i, k := range keptOf(count, limit, at) {
		e.Pieces = append(e.Pieces, s[starts[k.from]:starts[k.to]])
		if i > 0 {
			e.Left = append(e.Left, k.from-last)
		}
		last = k.to
	}
	return e
}

// stretch is a part of a text, by indices of characters.
type stretch struct{ from, to int }

// keptOf are the parts of a text that are kept: half of the limit at each end, if the difference is there, or a quarter
// and half of it around the difference.
func keptOf(count, limit, at int) []stretch {
	head, tail, around := limit-limit/2, limit/2, limit/8
	if at == Nowhere || at < head-around || at >= count-tail {
		return []stretch{{0, head}, {count - tail, count}}
	}
	head, tail = limit/4, limit/4
	middle := stretch{max(head, at-around), min(count-tail, at-around+limit-head-tail)}
	switch {
	case middle.from == head:
		return []stretch{{0, middle.to}, {count - tail, count}}
	case middle.to == count-tail:
		return []stretch{{0, head}, {middle.from, count}}
	}
	return []stretch{{0, head}, middle, {count - tail, count}}
}

// FirstDifference is the index of the first character in which two texts differ, or that only one of them has; Nowhere if
// they are equal.
func FirstDifference(a, b string) int {
	index := 0
	for a != "" && b != "" {
		x, size := utf8.DecodeRuneInString(a)
		y, other := utf8.DecodeRuneInString(b)
		if x != y || a[:size] != b[:other] {
			return index
		}
		a, b, index = a[size:], b[other:], index+1
	}
	if a == b {
		return Nowhere
	}
	return index
}

// IsCut tells whether anything is left out.
func (e Excerpt) IsCut() bool { return len(e.Left) > 0 }

// LeftOut stands where so many things are left out.
func LeftOut(n int, thing string) string {
	return fmt.Sprintf("… (%s left out) …", plural.Of(n, thing))
}

// String joins the pieces around the omissions.
func (e Excerpt) String() string { return e.Join("", func(s string) string { return s }) }

// Join writes each piece so, with the omissions between them, and gap around those.
func (e Excerpt) Join(gap string, piece func(string) string) string {
	text := piece(e.Pieces[0])
	for i, left := range e.Left {
		text += gap + LeftOut(left, "character") + gap + piece(e.Pieces[i+1])
	}
	return text
}
