package runtime

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// The arguments of the tools that act on a change.
const (
	argChange = "change_id"
	argToken  = "confirmation_token"
	argUndo   = "undo_token"
)

// argumentLimits are ample for an id and a token.
var argumentLimits = exact.Limits{Bytes: 4 << 10, Depth: 4, Digits: 20, Exponent: 20}

// maxQuoted is the longest argument name that an error repeats. It is shorter than a token, which must appear in no
// error, wherever a client puts it.
const maxQuoted = 24

// readArguments reads exactly the named arguments, all strings, or says what is wrong with them: which argument, and
// never its value.
func readArguments(raw []byte, names ...string) (given map[string]string, problem string) {
	members, problem := readMembers(raw)
	if problem != "" {
		return nil, problem
	}
	wanted := strings.Join(names, " and ")
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(names, name) {
			return nil, fmt.Sprintf("%s is not an argument of this tool; give %s", quoted(name), wanted)
		}
	}
	given = make(map[string]string, len(names))
	for _, name := range names {
		value, ok := members[name].(string)
		if !ok || value == "" {
			return nil, fmt.Sprintf("%s is missing or not a string; give %s", name, wanted)
		}
		given[name] = value
	}
	return given, ""
}

// readMembers reads an object strictly. No arguments are an empty one.
func readMembers(raw []byte) (members map[string]any, problem string) {
	if len(raw) == 0 {
		return nil, ""
	}
	canonical, err := exact.Canonical(raw, argumentLimits)
	if err != nil {
		var fault *exact.Error
		if errors.As(err, &fault) {
			return nil, fault.Cause.Error()
		}
		return nil, "they cannot be read"
	}
	tree, err := exact.Tree(canonical)
	members, ok := tree.(map[string]any)
	if err != nil || !ok {
		return nil, "they are not an object"
	}
	return members, ""
}

func quoted(name string) string {
	if len(name) > maxQuoted {
		return "an argument with a long name"
	}
	return visible(fmt.Sprintf("%q", name))
}
