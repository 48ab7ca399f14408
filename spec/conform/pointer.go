package conform

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/spec/document"
)

// resolve finds the node that the schema library means: a JSON Pointer whose parts are escaped for a URL as well. It
// stops at the last node that it finds.
func resolve(tree *document.Node, pointer string) *document.Node {
	node := tree
	if pointer == "" {
		return node
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if plain, err := url.PathUnescape(part); err == nil {
			part = plain
		}
		child := step(node, document.UnescapePart(part))
		if child == nil {
			return node
		}
		node = child
	}
	return node
}

func step(node *document.Node, part string) *document.Node {
	if !node.Is(document.List) {
		return node.Get(part)
	}
	index, err := strconv.Atoi(part)
	if err != nil || index < 0 || index >= len(node.Children) {
		return nil
	}
	return node.Children[index]
}
