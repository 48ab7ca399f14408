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
	Message  string // all of it in a sentence
}

// Invalid is the error about a value that does not fit its schema.
type Invalid struct {
	Violations []Violation // in the order of Pointer; at least one
	More       bool        // there are more than these, which are enough to begin with
}

// maxMessages is how many violations the text of the error repeats.
const maxMessages = 10

// Error lists the first violations.
func (e *Invalid) Error() string {
	var messages []string
	for _, v := range e.Violations[:min(len(e.Violations), maxMessages)] {
		messages = append(messages, v.Message)
	}
	if more := len(e.Violations) - maxMessages; more > 0 {
		messages = append(messages, fmt.Sprintf("and %d more", more))
	}
	if e.More {
		messages = append(messages, "and others that are not counted")
	}
	return strings.Join(messages, "; ")
}
