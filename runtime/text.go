package runtime

import (
	"bytes"
	"fmt"
	"reflect"
	"unicode/utf16"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// noValue stands in a text for a nil value.
const noValue = "(none)"

// Textf formats a text that a person reads. Its verbs are all %v. Strings come with every character written out that would
// not be seen as itself (control, bidirectional, zero-width, line breaks, several spaces in a row), and with each backslash
// doubled, so that no two of them look the same; other values come as JSON, a pointer as what it points to, and nil, as well
// as an Optional without a value, as "(none)". The format itself is not escaped. What it returns is no value any more, but a
// text: made a value of another one, its backslashes are doubled again.
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
	return Visible(string(encoded))
}

func nilable(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Slice || k == reflect.Map || k == reflect.Interface
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
