// Package requestid keeps the argument of a preview that names a request apart from its payload: in the arguments, and in
// the schemas that say what those are.
package requestid

import (
	"bytes"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

const (
	// Name is that of the argument.
	Name = "request_id"
	// MaxChars is how many characters a request id may have: ample for a UUID with words around it.
	MaxChars = 128
)

// TakeFrom takes the request id out of the arguments of a preview, whatever was given for one; what is left is the payload.
// Arguments that have none, or cannot be read, are left as they are.
func TakeFrom(arguments []byte) (payload []byte, id any, given bool) {
	if !mayHaveName(arguments) {
		return arguments, nil, false
	}
	canonical, err := exact.Canonical(arguments, exact.DefaultLimits)
	if err != nil {
		return arguments, nil, false
	}
	tree, err := exact.Tree(canonical)
	members, _ := tree.(map[string]any)
	if id, given = members[Name]; err != nil || !given {
		return arguments, nil, false
	}
	delete(members, Name)
	if payload, err = exact.FromTree(members); err != nil {
		return arguments, nil, false
	}
	return payload, id, true
}

// mayHaveName is false for most arguments that have no request id, which need not be read to know: a name stands there as it
// is, unless some of its characters are escaped.
func mayHaveName(arguments []byte) bool {
	return bytes.Contains(arguments, []byte(Name)) || bytes.IndexByte(arguments, '\\') >= 0
}
