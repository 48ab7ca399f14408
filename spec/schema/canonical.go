package schema

import (
	"slices"
	"strconv"

	"github.com/changesetgen/changesetgen/spec/document"
)

// unordered are the keywords whose lists have no order.
var unordered = []string{"type", "required", "enum"}

// canonicals render schemas in a way that is the same for every way to write them: without prose, in one order, each
// number in one spelling. It is for digests, and not JSON. They hold the Go types that an author chose for schemas that
// are handed out, which say nothing of them although a value of another Go type may be another one for a query.
type canonicals map[*document.Node]string

func (c canonicals) schema(node *document.Node) string {
	if !node.Is(document.Map) {
		return node.Text
	}
	var members []string
	if chosen := c[node]; chosen != "" {
		members = append(members, strconv.Quote(goType)+":"+strconv.Quote(chosen))
	}
	for _, child := range node.Children {
		if !keywords[child.Key].prose && child.Key != sensitiveMark {
			members = append(members, strconv.Quote(child.Key)+":"+c.keyword(child))
		}
	}
	return joined('{', members, '}', true)
}

func (c canonicals) keyword(child *document.Node) string {
	var inner []string
	switch keywords[child.Key].holds {
	case aSchema:
		return c.schema(child)
	case byName:
		for _, schema := range child.Children {
			inner = append(inner, strconv.Quote(schema.Key)+":"+c.schema(schema))
		}
		return joined('{', inner, '}', true)
	case aList:
		for _, schema := range child.Children {
			inner = append(inner, c.schema(schema))
		}
		return joined('[', inner, ']', keywords[child.Key].inPlace)
	}
	if child.Key == "dependentRequired" {
		for _, required := range child.Children {
			inner = append(inner, strconv.Quote(required.Key)+":"+canonicalValue(required, true))
		}
		return joined('{', inner, '}', true)
	}
	return canonicalValue(child, slices.Contains(unordered, child.Key))
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
