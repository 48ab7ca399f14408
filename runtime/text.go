package runtime

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// noValue stands in a text for a nil value.
const noValue = "(none)"

// Textf formats a text that a person reads. Its verbs are all %v. Strings come as they are, with every character that
// would not be seen written out (control, bidirectional, zero-width, line breaks); other values as JSON, a pointer as
// what it points to, and nil, as well as an Optional without a value, as "(none)". The format itself is not escaped.
func Textf(format string, values ...any) string {
	texts := make([]any, len(values))
	for i, v := range values {
		texts[i] = readable(v)
	}
	return fmt.Sprintf(format, texts...)
}

// readable is how a value stands inside a text.
func readable(v any) string {
	if o, ok := v.(optional); ok {
		v = o.Any()
	}
	at := reflect.ValueOf(v)
	for at.Kind() == reflect.Pointer && !at.IsNil() {
		at = at.Elem()
	}
	switch {
	case !at.IsValid(), nilable(at.Kind()) && at.IsNil():
		return noValue
	case at.Kind() == reflect.String:
		return visible(at.String())
	}
	encoded, err := exact.Encode(at.Interface())
	if err != nil {
		return fmt.Sprintf("(a %s that has no text)", at.Type())
	}
	return visible(string(encoded))
}

func nilable(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Slice || k == reflect.Map || k == reflect.Interface
}

// visible writes out, as Go escapes, every character of s that a reader would not see as itself. Text that has no such
// character, escapes included, comes as it is.
func visible(s string) string { return escape(s, false) }

// visibleLines is visible for a text of our own or the author's making, which may have several lines.
func visibleLines(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case seen(r), lines && r == '\n':
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r <= maxShortEscape:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		s = s[size:]
	}
	return b.String()
}

// maxShortEscape is the last character that \u can write.
const maxShortEscape = 0xFFFF

// seen tells whether a reader sees r as itself.
func seen(r rune) bool {
	return unicode.IsPrint(r) && !unicode.In(r, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// escapedJSON is JSON text with escapes for every character that a reader would not see as itself. Outside of strings
// there is none.
func escapedJSON(text []byte) []byte {
	if !bytes.ContainsFunc(text, func(r rune) bool { return !seen(r) }) {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		switch {
		case seen(r):
			b.WriteRune(r)
		case r <= maxShortEscape:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	return b.Bytes()
}
