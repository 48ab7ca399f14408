package exact

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// compareUTF16 orders names as their UTF-16 code units do, which is what RFC 8785 sorts by.
//
// The bytes of UTF-8 order names by code point. The two orders differ only between U+E000…U+FFFF and what is above,
// which UTF-16 writes with surrogates, and those come before U+E000.
func compareUTF16(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return cmp.Compare(utf16Weight(a[i]), utf16Weight(b[i]))
		}
	}
	return cmp.Compare(len(a), len(b))
}

// utf16Weight moves the first bytes of U+E000…U+FFFF, 0xEE and 0xEF, behind those of everything above, 0xF0…0xF4. Both
// bytes that differ are first bytes, or neither is.
func utf16Weight(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c | 0xF0
	}
	return c
}

// maxQuoted is how much of a text a message repeats, in characters.
const maxQuoted = 60

// shorten cuts a text that a message repeats.
func shorten(s string) string {
	n := 0
	for i := range s {
		if n == maxQuoted {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// visible makes a text safe to print: what cannot be seen is escaped.
func visible(s string) string {
	quoted := strconv.Quote(s)
	return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
}

// surrogateEscape returns the \uXXXX at the start of text if it names half of a surrogate pair.
func surrogateEscape(text []byte) (string, bool) {
	const length = len(`\uXXXX`)
	if len(text) < length || text[0] != '\\' || text[1] != 'u' {
		return "", false
	}
	unit, err := strconv.ParseUint(string(text[2:length]), 16, 16)
	if err != nil || unit < 0xD800 || unit > 0xDFFF {
		return "", false
	}
	return string(text[:length]), true
}

// invalidByte returns the byte at the start of text if it begins no character.
func invalidByte(text []byte) (byte, bool) {
	if r, size := utf8.DecodeRune(text); r != utf8.RuneError || size != 1 {
		return 0, false
	}
	return text[0], true
}
