package requestid

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// CheckUnused refuses the schema of a payload with a property of that name: it would be taken for the request id. A name
// that only a pattern allows is not looked for.
func CheckUnused(payload json.RawMessage) error {
	var root any
	if json.Unmarshal(payload, &root) != nil {
		return nil // reported where the schema is compiled
	}
	s := &search{root: root, followed: map[string]bool{}}
	if s.names(root) {
		return fmt.Errorf("its payload has a property %s, which is the name of an argument of every preview: give it another name", Name)
	}
	return nil
}

// search goes along the schemas that are about the same object.
type search struct {
	root     any
	followed map[string]bool // references, which may lead in a circle
}

// names tells whether a schema, or what it is composed of, describes the property, requires it or asks for it.
func (s *search) names(schema any) bool {
	node, isObject := schema.(map[string]any)
	if !isObject {
		return false // true, false, or nothing: they name none
	}
	if hasMember(node["properties"]) || lists(node["required"]) || hasMember(node["dependentSchemas"]) || hasMember(node["dependentRequired"]) {
		return true
	}
	if dependent, ok := node["dependentRequired"].(map[string]any); ok {
		for _, names := range dependent {
			if lists(names) {
				return true
			}
		}
	}
	return slices.ContainsFunc(s.parts(node), s.names)
}

// parts are the schemas within a schema that are about the same object, and the one that it refers to.
func (s *search) parts(node map[string]any) []any {
	parts := []any{node["if"], node["then"], node["else"], s.follow(node["$ref"])}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := node[keyword].([]any)
		parts = append(parts, branches...)
	}
	if dependent, ok := node["dependentSchemas"].(map[string]any); ok {
		for _, part := range dependent {
			parts = append(parts, part)
		}
	}
	return parts
}

// follow is what a reference within the schema leads to; nil for one that was followed before.
func (s *search) follow(ref any) any {
	pointer, ok := ref.(string)
	if !ok || s.followed[pointer] || !strings.HasPrefix(pointer, "#") {
		return nil
	}
	s.followed[pointer] = true
	fragment, err := url.PathUnescape(pointer[1:])
	if err != nil {
		return nil
	}
	at := s.root
	for token := range jsontext.Pointer(fragment).Tokens() {
		switch within := at.(type) {
		case map[string]any:
			at = within[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(within) {
				return nil
			}
			at = within[i]
		default:
			return nil
		}
	}
	return at
}

// hasMember tells of an object whether it has a member of that name.
func hasMember(object any) bool {
	members, _ := object.(map[string]any)
	_, has := members[Name]
	return has
}

// lists tells of a list whether that name is in it.
func lists(list any) bool {
	items, _ := list.([]any)
	return slices.Contains(items, any(Name))
}
