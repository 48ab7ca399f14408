// Package tree reads JSON values that may be absent, which is another thing than null. Two values are compared by walking
// them side by side, where what only one of them has is absent in the other.
package tree

import (
	"encoding/json"
	"slices"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Value is a JSON value, as exact.Tree makes it, that may be absent. Its zero value is.
type Value struct {
	Tree    any
	Present bool
}

// Of is a value that is there.
func Of(tree any) Value { return Value{Tree: tree, Present: true} }

// Read reads canonical JSON. Nil is absent.
func Read(canonical json.RawMessage) (Value, error) {
	if canonical == nil {
		return Value{}, nil
	}
	tree, err := exact.Tree(canonical)
	return Of(tree), err
}

// Canonical is the canonical JSON of a value; nil when it is absent.
func (v Value) Canonical() ([]byte, error) {
	if !v.Present {
		return nil, nil
	}
	return exact.FromTree(v.Tree)
}

// IsObject tells whether v is an object, which may be empty.
func (v Value) IsObject() bool {
	_, is := v.Tree.(map[string]any)
	return is
}

// IsArray tells whether v is an array, which may be empty.
func (v Value) IsArray() bool {
	_, is := v.Tree.([]any)
	return is
}

// HasMembers tells whether v is an object that is not empty.
func (v Value) HasMembers() bool { return len(v.members()) > 0 }

// HasParts tells whether v has members or items.
func (v Value) HasParts() bool { return v.HasMembers() || v.Items() > 0 }

// Member is the member of that name, absent where there is none.
func (v Value) Member(name string) Value {
	tree, ok := v.members()[name]
	return Value{Tree: tree, Present: ok}
}

func (v Value) members() map[string]any {
	members, _ := v.Tree.(map[string]any)
	return members
}

// Items counts those of an array; 0 for anything else.
func (v Value) Items() int {
	items, _ := v.Tree.([]any)
	return len(items)
}

// Item is an item of an array, absent beyond its end.
func (v Value) Item(i int) Value {
	if i >= v.Items() {
		return Value{}
	}
	return Of(v.Tree.([]any)[i])
}

// Names are those of the members of either value, in order.
func Names(a, b Value) []string {
	names := make([]string, 0, len(a.members())+len(b.members()))
	for name := range a.members() {
		names = append(names, name)
	}
	for name := range b.members() {
		if _, both := a.members()[name]; !both {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
