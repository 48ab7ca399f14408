package runtime

import (
	"fmt"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/internal/plural"
)

// How much an answer repeats of one text, in characters. The whole is in the ledger, and in the resource of the change.
const (
	maxValueChars = 2000 // of a value, a summary, or a sentence of the author's
	maxLabelChars = 200  // of a label, or of the name of a field
	maxLineChars  = 500  // of one line of a line diff
)

// excerpt is what is shown of a text: its ends, and what is in between where that is not left out.
type excerpt struct {
	pieces []string // at least one
	left   []int    // characters that are left out after each piece but the last
}

// excerptOf keeps the first and the last characters of s, limit of them together: both ends of a text are what a reader
// knows it by, and a text that is cut at its end hides what an attacker appends.
func excerptOf(s string, limit int) excerpt { return excerptAt(s, limit, nowhere) }

// nowhere is the place of a difference where there is none.
const nowhere = -1

// excerptAt is excerptOf of a text that differs from another one in the character at that index, which is kept too, with
// some around it.
func excerptAt(s string, limit, at int) excerpt {
	if len(s) <= limit {
		return excerpt{pieces: []string{s}}
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
		return excerpt{pieces: []string{s}}
	}
	var e excerpt
	last := 0
	for i, k := range keptOf(count, limit, at) {
		e.pieces = append(e.pieces, s[starts[k.from]:starts[k.to]])
		if i > 0 {
			e.left = append(e.left, k.from-last)
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
	if at == nowhere || at < head-around || at >= count-tail {
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

// firstDifference is the index of the first character in which two texts differ, or that only one of them has; nowhere if
// they are equal.
func firstDifference(a, b string) int {
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
		return nowhere
	}
	return index
}

func (e excerpt) isCut() bool { return len(e.left) > 0 }

// omission stands where something is left out.
func omission(characters int) string {
	return fmt.Sprintf("… (%s left out) …", plural.Of(characters, "character"))
}

// String joins the pieces around the omissions.
func (e excerpt) String() string { return e.join("", func(s string) string { return s }) }

// join writes each piece so, with the omissions between them, and gap around those.
func (e excerpt) join(gap string, piece func(string) string) string {
	text := piece(e.pieces[0])
	for i, left := range e.left {
		text += gap + omission(left) + gap + piece(e.pieces[i+1])
	}
	return text
}

// shortened is s as an answer repeats it.
func shortened(s string, limit int) string { return excerptOf(s, limit).String() }
