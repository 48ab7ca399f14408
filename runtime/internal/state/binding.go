// Package state compares states of what a change writes to, as a preview saw it, as apply left it, and as it is now. It
// decides nothing: it says whether what an approval is bound to is still the same, and else where it differs, so that
// nothing runs on another state than the one that was shown.
package state

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
)

// Binding says which parts of a state an approval is bound to. It does not change, so it is safe for concurrent use.
type Binding struct {
	bind     [][]string // field paths; none: everything
	volatile [][]string // field paths that are never compared
	// schema tells what of a state is sensitive; nil: nothing is.
	schema *payload.Schema
}

// Bind is the binding to the fields that the paths in bind name, dotted, or to all where there are none, and never to those
// in volatile. The schema of the states may be nil where nothing in them is sensitive.
func Bind(bind, volatile []string, schema *payload.Schema) Binding {
	return Binding{bind: splitPaths(bind), volatile: splitPaths(volatile), schema: schema}
}

func splitPaths(dotted []string) [][]string {
	paths := make([][]string, len(dotted))
	for i, d := range dotted {
		paths[i] = strings.Split(d, ".")
	}
	return paths
}

// Everything is the binding that compares all but the volatile fields.
func (b Binding) Everything() Binding { return Binding{volatile: b.volatile, schema: b.schema} }

// reach says how a field path relates to what is bound.
type reach int

const (
	outside reach = iota // not bound
	partly               // something below it may be bound
	inside               // bound
)

func (b Binding) reach(path []string) reach {
	if slices.ContainsFunc(b.volatile, func(v []string) bool { return hasPrefix(path, v) }) {
		return outside
	}
	if len(b.bind) == 0 {
		return inside
	}
	found := outside
	for _, bound := range b.bind {
		switch {
		case hasPrefix(path, bound):
			return inside
		case hasPrefix(bound, path):
			found = partly
		}
	}
	return found
}

func hasPrefix(path, prefix []string) bool {
	return len(path) >= len(prefix) && slices.Equal(path[:len(prefix)], prefix)
}
