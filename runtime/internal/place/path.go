// Package place says where something is in a JSON document: by the steps that lead there, as JSON Pointers (RFC 6901) do.
package place

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Path is the steps to a part of a value: names of members and indices of items.
type Path []string

// At reads a JSON Pointer.
func At(pointer string) Path { return slices.Collect(jsontext.Pointer(pointer).Tokens()) }

// Pointer is the JSON Pointer.
func (p Path) Pointer() string {
	var pointer jsontext.Pointer
	for _, token := range p {
		pointer = pointer.AppendToken(token)
	}
	return string(pointer)
}

// Below is the path with one more step, never sharing memory with another path.
func (p Path) Below(step string) Path { return append(slices.Clip(p), step) }

// In is what is at the place in a tree, as exact.Tree makes it.
func (p Path) In(tree any) (any, bool) {
	for _, step := range p {
		next, ok := part(tree, step)
		if !ok {
			return nil, false
		}
		tree = next
	}
	return tree, true
}

// part is a member or an item of a value.
func part(tree any, step string) (any, bool) {
	switch v := tree.(type) {
	case map[string]any:
		member, ok := v[step]
		return member, ok
	case []any:
		if i, ok := index(step, len(v)); ok {
			return v[i], true
		}
	}
	return nil, false
}

// Replace is the tree with another value at the place; the tree is changed. A place that is not there is left.
func (p Path) Replace(tree, with any) any {
	if len(p) == 0 {
		return with
	}
	switch v := tree.(type) {
	case map[string]any:
		if member, ok := v[p[0]]; ok {
			v[p[0]] = p[1:].Replace(member, with)
		}
	case []any:
		if i, ok := index(p[0], len(v)); ok {
			v[i] = p[1:].Replace(v[i], with)
		}
	}
	return tree
}

// index reads a step into an array of n items.
func index(step string, n int) (int, bool) {
	i, err := strconv.Atoi(step)
	return i, err == nil && 0 <= i && i < n
}
