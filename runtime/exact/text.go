package exact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

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
