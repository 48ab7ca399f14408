package exact

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
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
		where = append(where, "at "+visible(e.Path))
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

// errUTF8 is what jsontext says of text that is not UTF-8. It exports no name for it.
var errUTF8 = func() error {
	_, err := jsontext.AppendQuote(nil, "\xff")
	return errors.Unwrap(err)
}()

// syntaxCause is the cause of an error about text that no longer is at hand.
func syntaxCause(fault *jsontext.SyntacticError) error {
	switch {
	case errors.Is(fault, jsontext.ErrDuplicateName):
		return ErrDuplicateName
	case errors.Is(fault, errUTF8):
		return ErrInvalidText
	}
	return ErrSyntax
}
