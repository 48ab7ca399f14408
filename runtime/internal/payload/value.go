package payload

import (
	"encoding/json"
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// value is one value of a payload, in its place.
type value struct {
	raw    any // as exact.Tree has it
	kind   kind
	id     int    // differs from that of every other value of the payload; 0 for the name of a property
	parent *value // nil for the whole
	name   string // of the property that it is, in an object
	index  int    // of the item that it is, in an array
	parts  []value
	secret bool // it is sensitive; set by markSecrets
}

// kind is a type of JSON, or a set of them.
type kind uint8

const (
	kindNull kind = 1 << iota
	kindBoolean
	kindFraction // a number that is no integer
	kindInteger
	kindString
	kindArray
	kindObject
)

// anyKind is the set of all of them.
const anyKind = kindNull | kindBoolean | kindFraction | kindInteger | kindString | kindArray | kindObject

// placed gives each value of a tree its place. The parts of an object are in the order of their names.
func placed(tree any) *value {
	ids := 1
	root := &value{raw: tree, kind: kindOf(tree), id: ids}
	root.place(&ids)
	return root
}

func (v *value) place(ids *int) {
	switch raw := v.raw.(type) {
	case map[string]any:
		v.parts = make([]value, 0, len(raw))
		for _, name := range slices.Sorted(maps.Keys(raw)) {
			v.parts = append(v.parts, value{raw: raw[name], name: name})
		}
	case []any:
		v.parts = make([]value, len(raw))
		for i, item := range raw {
			v.parts[i] = value{raw: item, index: i}
		}
	}
	for i := range v.parts {
		part := &v.parts[i]
		*ids++
		part.id, part.parent, part.kind = *ids, v, kindOf(part.raw)
		part.place(ids)
	}
}

func kindOf(raw any) kind {
	switch raw := raw.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBoolean
	case string:
		return kindString
	case json.Number:
		if strings.Contains(raw.String(), ".") {
			return kindFraction // canonical: what has no fraction has no point
		}
		return kindInteger
	case []any:
		return kindArray
	}
	return kindObject
}

// member finds a property of an object, or nil.
func (v *value) member(name string) *value {
	if v.kind != kindObject {
		return nil
	}
	i := sort.Search(len(v.parts), func(i int) bool { return v.parts[i].name >= name })
	if i == len(v.parts) || v.parts[i].name != name {
		return nil
	}
	return &v.parts[i]
}

// named is the name of a property as a value of its own, in the place of the property.
func (v *value) named() *value {
	return &value{raw: v.name, kind: kindString, parent: v.parent, name: v.name}
}

// isName says whether the value is the name of a property.
func (v *value) isName() bool { return v.id == 0 }

// tokens lead to the value.
func (v *value) tokens() []string {
	var tokens []string
	for ; v.parent != nil; v = v.parent {
		if v.parent.kind == kindArray {
			tokens = append(tokens, strconv.Itoa(v.index))
			continue
		}
		tokens = append(tokens, v.name)
	}
	slices.Reverse(tokens)
	return tokens
}

// identity is the same for two values exactly if they are equal as JSON.
func identity(raw any) string {
	switch raw := raw.(type) {
	case string:
		return `"` + raw
	case json.Number:
		return raw.String()
	}
	encoded, err := exact.FromTree(raw)
	if err != nil {
		return "" // not of exact.Tree, so equal to nothing that is
	}
	return string(encoded)
}
