package runtime

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/visible"
)

// The arguments of the tools that act on a change.
const (
	argChange = "change_id"
	argToken  = "confirmation_token"
	argUndo   = "undo_token"
	// argExpected is an argument of apply that may be left out.
	argExpected = "expected_payload_hash"
)

// argumentLimits are ample for an id and a token.
var argumentLimits = exact.Limits{Bytes: 4 << 10, Depth: 4, Digits: 20, Exponent: 20}

// maxQuoted is the longest argument name that an error repeats. It is shorter than a token, which must appear in no
// error, wherever a client puts it.
const maxQuoted = 24

// readArguments reads exactly the named arguments, and the optional ones where they are given, all strings; or it says
// what is wrong with each: which argument, and never its value.
func readArguments(raw []byte, optional []string, names ...string) (given map[string]string, wrong []payload.Violation) {
	members, wrong := readMembers(raw)
	if wrong != nil {
		return nil, wrong
	}
	known := slices.Concat(names, optional)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if !slices.Contains(known, name) {
			wrong = append(wrong, violated(boundedPointer(name), onlyArguments(known), quoted(name)))
		}
	}
	given = make(map[string]string, len(known))
	for _, name := range known {
		argument, there := members[name]
		if !there && slices.Contains(optional, name) {
			continue
		}
		value, ok := argument.(string)
		if !ok || value == "" {
			wrong = append(wrong, violated(boundedPointer(name), expectedText, kindOf(members, name)))
		}
		given[name] = value
	}
	if wrong != nil {
		return nil, wrong
	}
	return given, nil
}

// readMembers reads an object strictly. No arguments are an empty one.
func readMembers(raw []byte) (members map[string]any, wrong []payload.Violation) {
	if len(raw) == 0 {
		return nil, nil
	}
	canonical, err := exact.Canonical(raw, argumentLimits)
	var fault *exact.Error
	if errors.As(err, &fault) {
		at := boundedPointer(strings.Split(strings.TrimPrefix(fault.Path, "/"), "/")...)
		return nil, []payload.Violation{violated(at, expectedOf(fault.Cause), fault.Cause.Error())}
	}
	tree, err := exact.Tree(canonical)
	members, ok := tree.(map[string]any)
	if err != nil || !ok {
		return nil, []payload.Violation{violated("", "an object", "something else")}
	}
	return members, nil
}

// boundedPointer is a JSON Pointer to the named steps, as far as every name is one that may be repeated.
func boundedPointer(steps ...string) string {
	var b strings.Builder
	for _, name := range steps {
		if name == "" || len(name) > maxQuoted {
			break
		}
		b.WriteString("/" + name)
	}
	return b.String()
}

func quoted(name string) string {
	if len(name) > maxQuoted {
		return "an argument with a long name"
	}
	return visible.Text(fmt.Sprintf("%q", name))
}
