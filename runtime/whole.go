package runtime

import "github.com/changesetgen/changesetgen/runtime/exact"

// isWhole tells whether stored bytes have every member that the Go type has which they were decoded into. A field that
// is always there stands for a member that the schema need not ask for, as one with a default, and a version of the
// server that did not know it yet stored nothing there: what the field holds is the zero value, and nobody's.
func isWhole(stored []byte, decoded any) bool {
	if stored == nil {
		return true
	}
	encoded, err := exact.Encode(decoded)
	if err != nil {
		return false // a zero value that is none of JSON, such as an empty number
	}
	was, err := exact.Tree(stored)
	if err != nil {
		return false
	}
	is, err := exact.Tree(encoded)
	return err == nil && hasMembers(was, is)
}

// hasMembers tells whether every member of a tree is in another of the same shape.
func hasMembers(tree, of any) bool {
	switch of := of.(type) {
	case map[string]any:
		object, ok := tree.(map[string]any)
		if !ok {
			return false
		}
		for name, member := range of {
			stored, ok := object[name]
			if !ok || !hasMembers(stored, member) {
				return false
			}
		}
	case []any:
		items, ok := tree.([]any)
		if !ok || len(items) != len(of) {
			return false
		}
		for i := range of {
			if !hasMembers(items[i], of[i]) {
				return false
			}
		}
	}
	return true
}
