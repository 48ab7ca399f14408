package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
)

// ending is what the end of a body says about the write.
type ending int

const (
	succeeded      ending = iota // written
	nothingWritten               // proved
	effectUnknown                // failed, and nothing more will be sent
	inDoubt                      // it may still land, or nobody can say
)

// judge reads what a body returned. A body that comes back after its time was cut off in the middle, so an error then
// says nothing, unless it is proof.
func judge(err error, late bool) ending {
	var p *attempt.Panic
	switch {
	case err == nil:
		return succeeded
	case errors.As(err, &p), errors.Is(err, attempt.ErrGoexit), errors.Is(err, ErrInDoubt):
		return inDoubt
	case provesNothingWritten(err):
		return nothingWritten
	case late:
		return inDoubt
	}
	return effectUnknown
}

// provesNothingWritten follows a single chain of wrapped errors. Where several are joined, the others are not proved.
func provesNothingWritten(err error) bool {
	for ; err != nil; err = errors.Unwrap(err) {
		if v, ok := err.(*verdict); ok && v.Is(ErrNotApplied) {
			return true
		}
	}
	return false
}

// told is what an agent may know of an author's error: the text of a refusal, else the type of the error.
func told(err error, fallback Code) (Code, string) {
	var own *Refusal
	switch {
	case errors.As(err, &own) && errors.Is(err, ErrConflict):
		return CodeStateChanged, scrubbed(err, own.Error())
	case errors.As(err, &own):
		return CodeRefused, scrubbed(err, own.Error())
	}
	return fallback, reduced(err)
}

// reduced says what kind of error err is, and nothing of its text, which may hold what the agent must not see.
func reduced(err error) string {
	var p *attempt.Panic
	switch {
	case errors.As(err, &p):
		return fmt.Sprintf("panic (%s)", kindOfPanic(p.Value))
	case errors.Is(err, attempt.ErrGoexit), errors.Is(err, attempt.ErrTimeout):
		return err.Error()
	}
	return telling(err)
}

// telling is the type of the first error in a chain that says more than that something was wrapped, else of the last.
func telling(err error) string {
	for next := inner(err); next != nil && wrapsOnly(err); next = inner(err) {
		err = next
	}
	return fmt.Sprintf("%T", err)
}

// inner is what an error wraps: the first, if it wraps several.
func inner(err error) error {
	if several, ok := err.(interface{ Unwrap() []error }); ok && len(several.Unwrap()) > 0 {
		return several.Unwrap()[0]
	}
	return errors.Unwrap(err)
}

func wrapsOnly(err error) bool {
	switch err.(type) {
	case *verdict, *hiddenError:
		return true
	}
	name := fmt.Sprintf("%T", err)
	return strings.HasPrefix(name, "*fmt.") || strings.HasPrefix(name, "*errors.")
}
