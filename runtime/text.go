package runtime

import (
	"fmt"
	"strings"
	"unicode"
)

// Textf formats a text that a person reads. Its verbs are all %v. Strings come as they are, with every character that
// would not be seen written out (control, bidirectional, zero-width, line breaks); other values as JSON, a pointer as
// what it points to, and nil as "(none)". The format itself is not escaped.
func Textf(format string, values ...any) string {
	shown := make([]any, len(values))
	for i, v := range values {
		shown[i] = visible(fmt.Sprint(v))
	}
	return fmt.Sprintf(format, shown...)
}

// visible writes out the characters of s that a reader would not see as themselves.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		fmt.Fprintf(&b, "\\u%04x", r)
	}
	return b.String()
}
