package place

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// anyPart stands in a pattern for every member of an object and every item of an array.
const anyPart = "*"

// Patterns say places by JSON Pointers, in which a step of * stands for every member or item.
type Patterns []Path

// ReadPatterns reads pointers. What is no pointer is no place, so it is an error.
func ReadPatterns(pointers []string) (Patterns, error) {
	var patterns Patterns
	for _, pointer := range pointers {
		if !jsontext.Pointer(pointer).IsValid() {
			return nil, fmt.Errorf("%q is no JSON Pointer; write one like /password or /*/key", pointer)
		}
		patterns = append(patterns, At(pointer))
	}
	return patterns, nil
}

// Covers tells whether at is one of the places, or below one.
func (p Patterns) Covers(at Path) bool {
	for _, pattern := range p {
		if len(pattern) <= len(at) && pattern.meets(at) {
			return true
		}
	}
	return false
}

// Touches tells whether at is at, above or below one of the places.
func (p Patterns) Touches(at Path) bool {
	for _, pattern := range p {
		if pattern.meets(at) {
			return true
		}
	}
	return false
}

// meets tells whether a place is at, above or below one that the pattern p means.
func (p Path) meets(at Path) bool {
	for i := range min(len(p), len(at)) {
		if p[i] != anyPart && p[i] != at[i] {
			return false
		}
	}
	return true
}
