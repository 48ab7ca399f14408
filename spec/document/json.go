package document

import (
	"encoding/json"

	"github.com/go-json-experiment/json/jsontext"
)

// Value is the node as encoding/json would decode it, with numbers as json.Number.
func (n *Node) Value() any {
	switch n.Kind {
	case Map:
		members := make(map[string]any, len(n.Children))
		for _, child := range n.Children {
			members[child.Key] = child.Value()
		}
		return members
	case List:
		items := make([]any, len(n.Children))
		for i, child := range n.Children {
			items[i] = child.Value()
		}
		return items
	case Number:
		return json.Number(n.Text)
	case Text:
		return n.Text
	case Boolean:
		return n.Text == "true"
	default:
		return nil
	}
}

// AppendJSON appends the node as compact JSON: members in their order, numbers as they were written.
func (n *Node) AppendJSON(dst []byte) []byte {
	switch n.Kind {
	case Map:
		dst = append(dst, '{')
		for i, child := range n.Children {
			dst = separate(dst, i)
			dst = append(appendQuoted(dst, child.Key), ':')
			dst = child.AppendJSON(dst)
		}
		return append(dst, '}')
	case List:
		dst = append(dst, '[')
		for i, child := range n.Children {
			dst = child.AppendJSON(separate(dst, i))
		}
		return append(dst, ']')
	case Text:
		return appendQuoted(dst, n.Text)
	case Null:
		return append(dst, "null"...)
	default:
		return append(dst, n.Text...)
	}
}

func separate(dst []byte, i int) []byte {
	if i > 0 {
		return append(dst, ',')
	}
	return dst
}

// appendQuoted cannot fail: text of a document is valid UTF-8, and anything else is replaced.
func appendQuoted(dst []byte, text string) []byte {
	dst, _ = jsontext.AppendQuote(dst, text)
	return dst
}
