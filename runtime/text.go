package runtime

import (
	"fmt"
	"reflect"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

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

// Visible is a text, such as Textf makes and JSON is, in one line and with every character written out that a reader would
// not see as itself: control, bidirectional, zero-width and blank ones, line breaks, and several spaces in a row, as \x20
// with their number. Backslashes stay, so that what is visible already comes as it is. For a value that may hold any text,
// see Textf.
func Visible(text string) string { return visible.Text(text) }

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
		return shown.None
	case at.Kind() == reflect.String:
		return visible.Value(at.String())
	}
	encoded, err := exact.Encode(at.Interface())
	if err != nil {
		return fmt.Sprintf("(a %s that has no text)", at.Type())
	}
	return visible.Text(string(encoded))
}

func nilable(k reflect.Kind) bool {
	return k == reflect.Pointer || k == reflect.Slice || k == reflect.Map || k == reflect.Interface
}
