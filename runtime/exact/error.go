package exact

import (
	"errors"
	"fmt"
	"strings"
)

// The causes of an Error; match with errors.Is.
var (
	ErrSyntax        = errors.New("not JSON")
	ErrInvalidText   = errors.New("invalid text")
	ErrDuplicateName = errors.New("duplicate name")
	ErrNumber        = errors.New("number that cannot be kept exactly")
	ErrDepth         = errors.New("nested too deeply")
	ErrTooLarge      = errors.New("too large")
	ErrType          = errors.New("value of another type")
)

// noOffset is the Offset of an Error about a Go value.
const noOffset = -1

// Error is a fault of a text or a value, with its place.
type Error struct {
	Path   string // JSON Pointer of the value; "" is the whole
	Offset int64  // of the fault in the text, in bytes; -1 when there is no text
	Cause  error  // one of the Err… of this package
	Detail string // what was found and what to do instead
}

// Error says what is wrong, where, and what to do.
func (e *Error) Error() string {
	var where []string
	if e.Path != "" {
		where = append(where, "at "+visible(shorten(e.Path)))
	}
	if e.Offset >= 0 {
		where = append(where, fmt.Sprintf("byte %d", e.Offset))
	}
	text := fmt.Sprintf("%v: %s", e.Cause, e.Detail)
	if len(where) > 0 {
		text += " (" + strings.Join(where, ", ") + ")"
	}
	return text
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }
