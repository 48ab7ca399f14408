package schema

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/spec/conform"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// handingOut makes the schema that values are validated with: the author's, with objects closed, integers bounded to
// what Go holds, and the definitions of the document that it uses bundled into its own $defs.
type handingOut struct {
	reading  *reading
	inDefs   bool          // within the document's $defs
	needed   map[*def]bool // definitions of the document
	waiting  []*def        // those of them that are not bundled yet, each once
	defaults []given
}

// given is a default, and the JSON Pointer of the schema it must satisfy.
type given struct {
	value   *document.Node
	pointer string
}

// handOut is the schema as it is handed out. What keeps it from being used is reported.
func (r *reading) handOut() *document.Node {
	h := &handingOut{reading: r, needed: map[*def]bool{}}
	handed := h.schema(r.root, "")
	h.bundle(handed)
	h.checkDefaults(handed)
	return handed
}

// schema is what is handed out for a schema.
func (h *handingOut) schema(node *document.Node, pointer string) *document.Node {
	handed := &document.Node{Kind: document.Map, Key: node.Key}
	for _, child := range node.Children {
		if child.Key == goName || child.Key == goNames {
			continue // clients have no use for it
		}
		handed.Children = append(handed.Children, h.keyword(child, pointer+"/"+escape(child.Key)))
	}
	if value := node.Get("default"); value != nil {
		h.defaults = append(h.defaults, given{value, pointer})
	}
	if ref := node.Get("$ref"); ref != nil {
		h.need(ref)
	}
	closeObject(node, handed)
	boundInteger(node, handed)
	return handed
}

// keyword is what is handed out for a keyword: the schemas within it are handed out in turn, all else is as written.
func (h *handingOut) keyword(child *document.Node, pointer string) *document.Node {
	switch child.Key {
	case "items":
		return h.schema(child, pointer)
	case "properties", "$defs", "anyOf":
		handed := &document.Node{Kind: child.Kind, Key: child.Key}
		for i, inner := range child.Children {
			at := inner.Key
			if child.Kind == document.List {
				at = strconv.Itoa(i)
			}
			handed.Children = append(handed.Children, h.schema(inner, pointer+"/"+escape(at)))
		}
		return handed
	default:
		return child
	}
}

// closeObject makes an object refuse properties that it does not name.
func closeObject(node, handed *document.Node) {
	if node.Get("properties") == nil || node.Get("additionalProperties") != nil || node.Get("unevaluatedProperties") != nil {
		return
	}
	handed.Children = append(handed.Children, &document.Node{Kind: document.Boolean, Key: "unevaluatedProperties", Text: "false"})
}

// boundInteger makes an integer fit 64 bits.
func boundInteger(node, handed *document.Node) {
	named := node.Get("type")
	if named == nil || named.Text != "integer" && !slices.ContainsFunc(named.Children, func(n *document.Node) bool { return n.Text == "integer" }) {
		return
	}
	number := func(key string, value int64) *document.Node {
		return &document.Node{Kind: document.Number, Key: key, Text: strconv.FormatInt(value, 10)}
	}
	if lowest(node).node == nil {
		handed.Children = append(handed.Children, number("minimum", math.MinInt64))
	}
	if highest(node).node == nil {
		handed.Children = append(handed.Children, number("maximum", math.MaxInt64))
	}
}

// need notes that a definition of the document is used. One schema has one $defs, so its own definition of that name
// would be taken for it. A reference that leads nowhere is reported where it is read.
func (h *handingOut) need(ref *document.Node) {
	name := strings.TrimPrefix(ref.Text, refPrefix)
	own, shared := h.reading.own.byName[name], h.reading.reader.defs.byName[name]
	switch {
	case own != nil && !h.inDefs, shared == nil, h.needed[shared]:
	case own != nil:
		h.reading.fault(own.node.KeyFault(diag.AmbiguousName, "rename one of them",
			"%s is also a definition of the document, on line %d, that this schema uses", diag.Quote(name), shared.node.KeyPos.Line))
	default:
		h.needed[shared] = true
		h.waiting = append(h.waiting, shared)
	}
}

// bundle adds the definitions of the document that are needed, and those that they need, to the schema's own. It ends
// because each of them waits once.
func (h *handingOut) bundle(handed *document.Node) {
	h.inDefs = true
	bundled := map[*def]*document.Node{}
	for len(h.waiting) > 0 {
		d := h.waiting[0]
		h.waiting = h.waiting[1:]
		bundled[d] = h.schema(d.node, "/$defs/"+escape(d.name))
	}
	if len(bundled) == 0 {
		return
	}
	defs := handed.Get("$defs")
	if defs == nil {
		defs = &document.Node{Kind: document.Map, Key: "$defs"}
		handed.Children = append(handed.Children, defs)
	}
	for _, d := range h.reading.reader.defs.ordered {
		if node := bundled[d]; node != nil {
			defs.Children = append(defs.Children, node)
		}
	}
}

// address is that of a schema while its defaults are checked. No message shows it.
const address = "https://changesetgen.invalid/schema"

// checkDefaults reports defaults that their own schemas do not take, and a schema that the server could not use.
func (h *handingOut) checkDefaults(handed *document.Node) {
	whole, err := conform.Compile(address, handed.AppendJSON(nil), nil)
	if err != nil {
		h.reading.suspect(err)
		return
	}
	for _, d := range h.defaults {
		part, err := whole.Part(d.pointer)
		if err != nil {
			h.reading.suspect(err)
			continue
		}
		for _, broken := range part.Check(d.value) {
			broken.Message, broken.Code = "the default breaks its own schema: "+broken.Message, diag.BadDefault
			h.reading.fault(broken)
		}
	}
}

// escape is a part of a JSON Pointer in the fragment of a URL.
func escape(part string) string { return url.PathEscape(document.EscapePart(part)) }
