package payload

import (
	"bytes"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

// Unmarked is a schema without "x-sensitive", which is for the guard, and means nothing to clients. A default or an example
// that may hold a sensitive value is left out too: it is a value that clients would be told.
func Unmarked(schema []byte) ([]byte, error) {
	if !bytes.Contains(schema, []byte(keywordSensitive)) {
		return schema, nil
	}
	return rewrite(schema, func(node map[string]any) (map[string]any, bool) {
		if mentionsSensitive(node) {
			delete(node, "default")
			delete(node, "examples")
		}
		delete(node, keywordSensitive)
		return node, true
	})
}

// mentionsSensitive tells whether a schema may lead to a sensitive value. A reference is taken to do so.
func mentionsSensitive(tree any) bool {
	switch v := tree.(type) {
	case map[string]any:
		_, refers := v["$ref"]
		if refers || v[keywordSensitive] == true {
			return true
		}
		for _, part := range v {
			if mentionsSensitive(part) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, mentionsSensitive)
	}
	return false
}

// Redacted is the schema of what is left of a value when every sensitive value in it is replaced by a text. The second
// result tells whether that can be said: where several schemas are about one value, it may not be.
func Redacted(schema []byte, text string) ([]byte, bool, error) {
	if !bytes.Contains(schema, []byte(keywordSensitive)) {
		return schema, true, nil
	}
	isPlain := true
	redacted, err := rewrite(schema, func(node map[string]any) (map[string]any, bool) {
		if node[keywordSensitive] == true {
			replaced := map[string]any{"type": "string", "const": text}
			if about, ok := node["description"]; ok {
				replaced["description"] = about
			}
			return replaced, false
		}
		delete(node, keywordSensitive)
		isPlain = isPlain && isPlainNode(node)
		return node, true
	})
	if err != nil || !isPlain {
		return redacted, false, err
	}
	_, dangling := Compile("redacted", redacted, Options{}) // a reference may lead into what was replaced
	return redacted, dangling == nil, nil
}

// mingling are keywords by which more than one schema is about a value, or a value about others.
var mingling = []string{
	"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "contains", "uniqueItems",
	"patternProperties", "propertyNames", "unevaluatedItems", "enum", "const",
}

// isPlainNode tells whether what the parts of a node are about is about them alone.
func isPlainNode(node map[string]any) bool {
	_, refers := node["$ref"]
	for keyword := range node {
		isLeaf := keyword == "enum" || keyword == "const"
		if slices.Contains(mingling, keyword) && !(isLeaf && !hasParts(node)) {
			return false
		}
		if refers && keyword != "$ref" && !isAnnotation(keyword) {
			return false
		}
	}
	_, isSchema := node["unevaluatedProperties"].(map[string]any)
	return !isSchema
}

func hasParts(node map[string]any) bool {
	for range written(node) {
		return true
	}
	return false
}

func isAnnotation(keyword string) bool {
	return slices.Contains([]string{"title", "description", "$comment", "$defs", "$schema", "deprecated"}, keyword) ||
		strings.HasPrefix(keyword, "x-")
}

// changer makes another schema of one, and tells whether its parts are to be changed too.
type changer func(node map[string]any) (changed map[string]any, goOn bool)

// rewrite changes the schemas in a document, from the outside in.
func rewrite(schema []byte, change changer) ([]byte, error) {
	canonical, err := exact.Canonical(schema, schemaLimits)
	if err != nil {
		return nil, err
	}
	tree, err := exact.Tree(canonical)
	if err != nil {
		return nil, err
	}
	return exact.FromTree(rewritten(tree, change))
}

func rewritten(tree any, change changer) any {
	node, ok := tree.(map[string]any)
	if !ok {
		return tree
	}
	node, goOn := change(node)
	if !goOn {
		return node
	}
	for _, keyword := range ofOneSchema {
		if part, ok := node[keyword]; ok {
			node[keyword] = rewritten(part, change)
		}
	}
	for _, keyword := range ofListedSchemas {
		parts, _ := node[keyword].([]any)
		for i, part := range parts {
			parts[i] = rewritten(part, change)
		}
	}
	for _, keyword := range ofNamedSchemas {
		parts, _ := node[keyword].(map[string]any)
		for name, part := range parts {
			parts[name] = rewritten(part, change)
		}
	}
	return node
}
