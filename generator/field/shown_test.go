package field_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// tools are the schemas that a server shows to its clients, by tool.
func (c *client) tools(t *testing.T) map[string]json.RawMessage {
	t.Helper()
	all := map[string]json.RawMessage{}
	params := map[string]any{}
	for {
		c.send(t, "tools/list", params)
		var page struct {
			Tools []struct {
				Name        string
				InputSchema json.RawMessage
			}
			NextCursor string
		}
		c.receive(t, &page)
		for _, tool := range page.Tools {
			all[tool.Name] = tool.InputSchema
		}
		if page.NextCursor == "" {
			return all
		}
		params["cursor"] = page.NextCursor
	}
}

// notAtRoot are the keywords that some clients refuse at the root, or drop the tool for.
var notAtRoot = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "enum", "dependentSchemas"}

// checkShown makes sure that clients take a schema: its root is an object without compositions, and every array has
// items. They cannot be added where unevaluatedItems would take notice.
func (s *subject) checkShown(t *testing.T, schema json.RawMessage) {
	t.Helper()
	bound := strings.Contains(string(encode(s.whole())), "unevaluatedItems")
	var root map[string]any
	check(t, s.from, json.Unmarshal(schema, &root))
	if root["type"] != "object" {
		t.Errorf("%s: the root of its schema is no object: %s", s.from, schema)
	}
	for keyword := range root {
		if slices.Contains(notAtRoot, keyword) {
			t.Errorf("%s: the root of its schema has %s", s.from, keyword)
		}
	}
	eachSchema(root, func(part map[string]any) {
		if part["type"] == "array" && part["items"] == nil && !bound {
			t.Errorf("%s: an array without items: %v", s.from, part)
		}
	})
}

// eachSchema visits a schema and all that are within it.
func eachSchema(node any, visit func(map[string]any)) {
	switch node := node.(type) {
	case map[string]any:
		visit(node)
		for keyword, inner := range node {
			if byName, ok := inner.(map[string]any); ok && holdsSchemas(keyword) {
				for _, schema := range byName {
					eachSchema(schema, visit)
				}
			} else if !holdsValues(keyword) {
				eachSchema(inner, visit)
			}
		}
	case []any:
		for _, schema := range node {
			eachSchema(schema, visit)
		}
	}
}

// holdsValues tells whether what stands under a keyword is no schema, whatever it looks like.
func holdsValues(keyword string) bool {
	return slices.Contains([]string{"const", "enum", "default", "examples"}, keyword)
}

// holdsSchemas tells whether schemas stand under a keyword by names of their own.
func holdsSchemas(keyword string) bool {
	return slices.Contains([]string{"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}, keyword)
}
