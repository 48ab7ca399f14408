package runtime

import (
	"fmt"
	"unicode/utf8"
)

// How much an answer repeats of one text, in characters. The whole is in the ledger, and in the resource of the change.
const (
	maxValueChars = 2000 // of a value, a summary, or a sentence of the author's
	maxLabelChars = 200  // of a label, or of the name of a field
	maxLineChars  = 500  // of one line of a line diff
)

// excerpt is a text without its middle.
type excerpt struct {
	head, tail string
	left       int // characters that are left out between them; 0: head is all
}

// excerptOf keeps the first and the last characters of s, limit of them together: both ends of a text are what a reader
// knows it by, and a text that is cut at its end hides what an attacker appends.
func excerptOf(s string, limit int) excerpt {
	if len(s) <= limit {
		return excerpt{head: s}
	}
	left := utf8.RuneCountInString(s) - limit
	if left <= 0 {
		return excerpt{head: s}
	}
	head, tail := 0, len(s)
	for range limit - limit/2 {
		_, size := utf8.DecodeRuneInString(s[head:])
		head += size
	}
	for range limit / 2 {
		_, size := utf8.DecodeLastRuneInString(s[:tail])
		tail -= size
	}
	return excerpt{head: s[:head], tail: s[tail:], left: left}
}

// omission stands where something is left out.
func (e excerpt) omission() string {
	return fmt.Sprintf("… (%s left out) …", counted(e.left, "character"))
}

// String joins the ends around the omission.
func (e excerpt) String() string {
	if e.left == 0 {
		return e.head
	}
	return e.head + e.omission() + e.tail
}

// shortened is s as an answer repeats it.
func shortened(s string, limit int) string { return excerptOf(s, limit).String() }
