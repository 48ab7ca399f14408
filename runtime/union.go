package runtime

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// ErrUnion says that not exactly one branch of a union is set, or that it says of itself to be another one.
var ErrUnion = errors.New("not one branch of a union")

// Branch is one of the objects that a union can be. BranchOf makes one.
type Branch struct {
	value string        // of the tag
	field reflect.Value // a pointer, nil unless the branch is set
}

// BranchOf is the branch of a union that the tag with this value stands for, kept in field. It is no more than this,
// because the compiler writes it again for each branch of a server.
func BranchOf[T any](value string, field **T) Branch {
	return Branch{value: value, field: reflect.ValueOf(field).Elem()}
}

// EncodeUnion writes the branch that is set, exactly. It is ErrUnion if none is, if several are, or if the tag, a
// property of every branch, has the value of another one.
func EncodeUnion(tag string, branches ...Branch) ([]byte, error) {
	set := slices.DeleteFunc(slices.Clone(branches), func(b Branch) bool { return b.field.IsNil() })
	if len(set) != 1 {
		return nil, fmt.Errorf("%w: %d branches are set; set one of %s", ErrUnion, len(set), branchNames(branches))
	}
	branch := set[0]
	raw, err := exact.Marshal(branch.field.Interface())
	if err != nil {
		return nil, err
	}
	value, err := tagOf(raw, tag)
	if err != nil {
		return nil, err
	}
	if value != branch.value {
		return nil, fmt.Errorf("%w: the branch %q has a %s of %q; write the one that it stands for", ErrUnion, branch.value, tag, value)
	}
	return raw, nil
}

// maxTagShown is how much of a tag a message repeats, in bytes.
const maxTagShown = 60

// DecodeUnion reads an object into the branch that its tag stands for, exactly, and clears the others. A tag that is
// missing, or stands for none of the branches, is an *exact.Error of cause exact.ErrType.
func DecodeUnion(raw []byte, tag string, branches ...Branch) error {
	value, err := tagOf(raw, tag)
	if err != nil {
		return err
	}
	found := slices.IndexFunc(branches, func(b Branch) bool { return b.value == value })
	if found < 0 {
		return tagFault(tag, fmt.Sprintf("%q is none of %s", value[:min(len(value), maxTagShown)], branchNames(branches)))
	}
	for _, b := range branches {
		b.field.SetZero()
	}
	return exact.Decode(raw, branches[found].field.Addr().Interface())
}

// tagOf is the value of the property that tells branches apart. It looks no further than that.
func tagOf(raw []byte, tag string) (string, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	begin, err := dec.ReadToken()
	if err != nil || begin.Kind() != '{' {
		return "", &exact.Error{Offset: -1, Cause: exact.ErrType, Detail: "a union is an object, and this is none"}
	}
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return "", err
		}
		isTag := name.String() == tag
		value, err := dec.ReadValue()
		if err != nil {
			return "", err
		}
		if isTag {
			return tagText(value, tag)
		}
	}
	return "", tagFault(tag, "is missing, so that nothing says which branch of a union this is")
}

// tagText is the text of a tag.
func tagText(value jsontext.Value, tag string) (string, error) {
	if value.Kind() != '"' {
		return "", tagFault(tag, "is no text that names a branch of a union")
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err
}

// tagFault is about the tag of a union.
func tagFault(tag, flaw string) error {
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(tag)
	return &exact.Error{Path: "/" + escaped, Offset: -1, Cause: exact.ErrType, Detail: flaw}
}

func branchNames(branches []Branch) string {
	names := make([]string, len(branches))
	for i, b := range branches {
		names[i] = b.value
	}
	return strings.Join(names, ", ")
}
