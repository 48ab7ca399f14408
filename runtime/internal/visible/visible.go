// Package visible makes texts visible: each character that a reader would not see as itself is written out as an escape.
// Control, bidirectional, zero-width and blank characters, line breaks and spaces in a row can make a text look like
// another one, hide a part of it, or have it pose as words of the program that shows it. Nobody can decide on what is
// shown to them so. The functions differ in what a text is: any value, a text of the program itself, or JSON.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// spelling is how a text is made visible.
type spelling struct {
	value  bool // backslashes are doubled: the text is any, and must not be taken for another
	lines  bool // line breaks stay
	indent bool // so do the spaces that a line begins with, up to maxIndent
}

// maxIndent is how many spaces may begin a line. More of them, where a client folds lines, would carry what follows to
// where lines of ours begin.
const maxIndent = 24

// Value writes out, as Go escapes, every character of a value that a reader would not see as itself. No two values look
// the same: a backslash is doubled, and spaces in a row are counted, as \x20 with their number.
func Value(s string) string { return spelling{value: true}.of(s) }

// Line is Value for a line of a value's, which may be indented.
func Line(s string) string { return spelling{value: true, indent: true}.of(s) }

// Text is for what a program made of visible values, or for JSON. Its backslashes stay, so that what is visible already
// comes as it is; everything else is as Value has it, but for the spaces that the text begins with.
func Text(s string) string { return spelling{indent: true}.of(s) }

// Lines is Text for a text that may have several lines.
func Lines(s string) string { return spelling{lines: true, indent: true}.of(s) }

func (how spelling) of(s string) string {
	if how.isPlain(s) {
		return s
	}
	var b strings.Builder
	begins := true // a line
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if r == ' ' {
			size = len(s) - len(strings.TrimLeft(s, " "))
			b.WriteString(how.spaces(size, begins))
		} else {
			b.WriteString(how.character(r, s[:size]))
		}
		begins = r == '\n' && how.lines
		s = s[size:]
	}
	return b.String()
}

// isPlain tells of most texts, quickly, that nothing in them is spelled otherwise.
func (how spelling) isPlain(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == '\\' && how.value || c == ' ' && i > 0 && s[i-1] == ' ' {
			return false
		}
	}
	return true
}

// spaces are n of them in a row.
func (how spelling) spaces(n int, begin bool) string {
	if n == 1 || how.indent && begin && n <= maxIndent {
		return strings.Repeat(" ", n)
	}
	return fmt.Sprintf(`\x20{%d}`, n)
}

// character is one, of these bytes.
func (how spelling) character(r rune, raw string) string {
	switch {
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Sprintf(`\x%02x`, raw[0])
	case r == '\\' && how.value:
		return `\\`
	case seen(r), r == '\n' && how.lines:
		return raw
	case r == '\n':
		return `\n`
	case r == '\r':
		return `\r`
	case r == '\t':
		return `\t`
	case r <= maxShortEscape:
		return fmt.Sprintf(`\u%04x`, r)
	}
	return fmt.Sprintf(`\U%08x`, r)
}

// maxShortEscape is the last character that \u can write.
const maxShortEscape = 0xFFFF

// seen tells whether a reader sees r as itself.
func seen(r rune) bool {
	if r < utf8.RuneSelf { // nearly all of what is shown, without a look at tables
		return ' ' <= r && r <= '~'
	}
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point, blank)
}

// blank are the characters that count as printed and leave no mark. The spaces of other kinds count as none.
var blank = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x2800, Hi: 0x2800, Stride: 1}, // Braille pattern of no dots
		{Lo: 0x2D7F, Hi: 0x2D7F, Stride: 1}, // Tifinagh consonant joiner
		{Lo: 0xFFFC, Hi: 0xFFFC, Stride: 1}, // in place of an object
	},
	R32: []unicode.Range32{
		{Lo: 0x1107F, Hi: 0x1107F, Stride: 1}, // Brahmi number joiner
		{Lo: 0x13441, Hi: 0x13442, Stride: 1}, // Egyptian hieroglyph blanks
		{Lo: 0x16FE4, Hi: 0x16FE4, Stride: 1}, // Khitan filler
		{Lo: 0x1D159, Hi: 0x1D159, Stride: 1}, // musical null notehead
	},
}
