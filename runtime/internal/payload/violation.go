package payload

import (
	"fmt"
	"strings"
)

// Violation is one way in which a value does not fit its schema. Its texts are safe to print: what cannot be seen is
// escaped, and what is long is cut: a pointer to 512 bytes, any other text to 2 KiB.
type Violation struct {
	Pointer  string // JSON Pointer of the value, or of where one is missing; "" is the whole
	Expected string // what the schema asks for there: a string of at most 200 characters
	Found    string // what is there: 231 characters
	Meant    string // the name of the property that was perhaps meant, as it is shown; "" for none
	Message  string // all of it in a sentence
}

// notShown is what is told instead of what is there.
const notShown = "a value that is not shown"

// WithoutValue is the violation without anything of what is there but the names of members.
func (v Violation) WithoutValue() Violation {
	return at(v.Pointer, v.Expected, notShown, "expected "+v.Expected)
}

// Invalid is the error about a value that does not fit its schema.
type Invalid struct {
	Violations []Violation // in the order of Pointer; at least one
	More       bool        // there are more than these, which are enough to begin with
}

// maxMessages is how many violations the text of the error repeats.
const maxMessages = 10

// Error lists the first violations.
func (e *Invalid) Error() string { return e.list(func(v Violation) string { return v.Message }) }

// WithoutValue is Error without anything of the value but the names of its members.
func (e *Invalid) WithoutValue() string {
	return e.list(func(v Violation) string { return v.WithoutValue().Message })
}

func (e *Invalid) list(say func(Violation) string) string {
	var messages []string
	for _, v := range e.Violations[:min(len(e.Violations), maxMessages)] {
		messages = append(messages, say(v))
	}
	if more := len(e.Violations) - maxMessages; more > 0 {
		messages = append(messages, fmt.Sprintf("and %d more", more))
	}
	if e.More {
		messages = append(messages, "and others that are not counted")
	}
	return strings.Join(messages, "; ")
}
