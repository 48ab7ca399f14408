package schema

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/document"
)

// hidden are the keywords that real clients do not take at the root of the arguments of a tool.
var hidden = []string{"allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"}

// arguments is the schema that clients are shown for a root: looser than the one that values are validated with, where
// they could not be shown that. It is nil where they can.
func (r *reading) arguments(handed *document.Node) []byte {
	drops := func(child *document.Node) bool { return slices.Contains(hidden, child.Key) }
	if !slices.ContainsFunc(handed.Children, drops) {
		return nil
	}
	members := r.root.partsEvaluate(nil)
	shown := &document.Node{Kind: document.Map}
	for _, child := range handed.Children {
		if drops(child) || members && child.Key == "unevaluatedProperties" {
			continue
		}
		shown.Children = append(shown.Children, withoutRefs(child, leadsToHidden))
	}
	return shown.AppendJSON(nil)
}

// leadsToHidden tells whether a reference leads into what is not shown.
func leadsToHidden(ref string) bool {
	first, _, _ := strings.Cut(strings.TrimPrefix(ref, "#/"), "/")
	return slices.Contains(hidden, first)
}

// withoutRefs is a part of a schema without the references that drop names.
func withoutRefs(node *document.Node, drop func(string) bool) *document.Node {
	if len(node.Children) == 0 {
		return node
	}
	kept := &document.Node{Kind: node.Kind, Key: node.Key}
	for _, child := range node.Children {
		if child.Key == "$ref" && child.Is(document.Text) && drop(child.Text) {
			continue
		}
		kept.Children = append(kept.Children, withoutRefs(child, drop))
	}
	return kept
}
