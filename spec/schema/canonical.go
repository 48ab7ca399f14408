package schema

import (
	"slices"
	"strconv"

	"github.com/changesetgen/changesetgen/spec/document"
)

// prose are the keywords that change nothing about what a schema takes.
var prose = []string{"$comment", "$schema", "title", "description", "examples", "deprecated", "readOnly", "writeOnly"}

// unordered are the keywords whose lists have no order.
var unordered = []string{"type", "required", "enum"}

// canonical is a rendering of a schema that is the same for every way to write it: without prose, in one order, each
// number in one spelling. It is for digests, and not JSON.
func canonical(node *document.Node) string {
	var members []string
	for _, child := range node.Children {
		if slices.Contains(prose, child.Key) {
			continue
		}
		members = append(members, strconv.Quote(child.Key)+":"+canonicalKeyword(child))
	}
	return joined('{', members, '}', true)
}

func canonicalKeyword(child *document.Node) string {
	switch child.Key {
	case "items":
		return canonical(child)
	case "properties", "$defs", "anyOf":
		var inner []string
		for _, schema := range child.Children {
			inner = append(inner, strconv.Quote(schema.Key)+":"+canonical(schema))
		}
		return joined('{', inner, '}', true)
	default:
		return canonicalValue(child, slices.Contains(unordered, child.Key))
	}
}

// canonicalValue is a value that is no schema; a list without an order is sorted.
func canonicalValue(node *document.Node, sorted bool) string {
	var parts []string
	for _, child := range node.Children {
		part := canonicalValue(child, false)
		if node.Kind == document.Map {
			part = strconv.Quote(child.Key) + ":" + part
		}
		parts = append(parts, part)
	}
	switch node.Kind {
	case document.Map:
		return joined('{', parts, '}', true)
	case document.List:
		return joined('[', parts, ']', sorted)
	case document.Number:
		return rational(node).RatString()
	default:
		return string(node.AppendJSON(nil))
	}
}

func joined(opening byte, parts []string, closing byte, sorted bool) string {
	if sorted {
		slices.Sort(parts)
	}
	text := []byte{opening}
	for i, part := range parts {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, part...)
	}
	return string(append(text, closing))
}
