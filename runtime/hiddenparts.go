package runtime

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// anyPart stands in Row.Hidden for every member of an object and every item of an array.
const anyPart = "*"

// hiddenParts are the places below the values of a row that are not shown, as Row.Hidden says them.
type hiddenParts []path

// readHidden reads the pointers of a row. What is no pointer hides nothing, so it is an error.
func readHidden(pointers []string) (hiddenParts, error) {
	var hidden hiddenParts
	for _, pointer := range pointers {
		if !jsontext.Pointer(pointer).IsValid() {
			return nil, fmt.Errorf("its Hidden: %q is no JSON Pointer; write one like /password or /*/key", pointer)
		}
		hidden = append(hidden, steps(pointer))
	}
	return hidden, nil
}

// cover tells whether at is one of the places, or below one.
func (h hiddenParts) cover(at path) bool {
	for _, hidden := range h {
		if len(hidden) <= len(at) && hidden.meets(at) {
			return true
		}
	}
	return false
}

// touch tells whether at is at, above or below one of the places.
func (h hiddenParts) touch(at path) bool {
	for _, hidden := range h {
		if hidden.meets(at) {
			return true
		}
	}
	return false
}

// meets tells whether a place is at, above or below one that the pattern p means.
func (p path) meets(at path) bool {
	for i := range min(len(p), len(at)) {
		if p[i] != anyPart && p[i] != at[i] {
			return false
		}
	}
	return true
}
