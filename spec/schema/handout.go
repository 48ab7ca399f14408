package schema

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// handingOut makes the schema that values are validated with: the author's, with objects closed, integers bounded to
// what Go holds, and the definitions of the document that it uses bundled into its own $defs.
type handingOut struct {
	reading    *reading
	closing    *closing
	fillsItems bool           // arrays that say nothing of their items are told to take any, which some clients need
	needed     map[*site]bool // definitions of the document
	waiting    []*site        // those of them that are not bundled yet, each once
	defaults   []*site        // that have one
	canonicals canonicals
	parts      int // schemas that were handed out, each with those within it
}

// maxParts is how many schemas a server reads in one; see the runtime's own limit, which is the same.
const maxParts = 5000

// handOut gives a root the schemas that are handed out for it. What keeps them from being used is reported.
func (r *reading) handOut(root *Root, closing *closing) {
	before := len(r.reader.faults)
	h := &handingOut{reading: r, closing: closing, needed: map[*site]bool{}, canonicals: canonicals{}}
	h.fillsItems = !h.closing.sees("unevaluatedItems")
	handed := h.schema(r.root)
	if r.options.Shape == OneObject {
		nameObject(handed)
	}
	h.bundle(handed)
	if h.parts > maxParts {
		r.suspect(fmt.Errorf("there are %d schemas in it and in what it refers to, and at most %d are read; describe less", h.parts, maxParts))
		return
	}
	h.checkDefaults(handed)
	if len(r.reader.faults) > before {
		return
	}
	root.JSON, root.Canonical = handed.AppendJSON(nil), h.canonicals.schema(handed)
	if r.options.Arguments {
		root.Arguments = r.arguments(handed)
	}
}

// nameObject makes a schema that takes objects alone say so by its type: others know an object by that, and not by what
// composes it.
func nameObject(handed *document.Node) {
	named := &document.Node{Kind: document.Text, Key: "type", Text: "object"}
	for i, child := range handed.Children {
		if child.Key == named.Key {
			handed.Children[i] = named
			return
		}
	}
	handed.Children = slices.Insert(handed.Children, 0, named)
}

// schema is what is handed out for a schema.
func (h *handingOut) schema(s *site) *document.Node {
	h.parts++
	if !s.node.Is(document.Map) {
		return s.node
	}
	handed := &document.Node{Kind: document.Map, Key: s.node.Key}
	for _, child := range s.node.Children {
		if !strings.HasPrefix(child.Key, extensionPrefix) || child.Key == sensitiveMark {
			handed.Children = append(handed.Children, h.keyword(s, child))
		}
	}
	if s.has("default") {
		h.defaults = append(h.defaults, s)
	}
	if chosen := s.chosen(); chosen != plainString {
		h.canonicals[handed] = chosen
	}
	h.checkAsserted(s.node)
	h.fillItems(s, handed)
	h.boundInteger(s, handed)
	if h.closing.closes(s) {
		handed.Children = append(handed.Children, &document.Node{Kind: document.Boolean, Key: "unevaluatedProperties", Text: "false"})
	}
	return handed
}

// keyword is what is handed out for a keyword: the schemas within it are handed out in turn, all else is as written.
func (h *handingOut) keyword(s *site, child *document.Node) *document.Node {
	held := keywords[child.Key].holds
	switch {
	case child.Key == "$ref" && s.target != nil:
		h.need(s.target)
		return &document.Node{Kind: document.Text, Key: child.Key, Text: "#" + s.target.pointer()}
	case held == noSchema:
		return child
	case held == aSchema:
		return h.schema(s.one(child.Key, ""))
	}
	handed := &document.Node{Kind: child.Kind, Key: child.Key}
	for _, inner := range s.all(child.Key) {
		handed.Children = append(handed.Children, h.schema(inner))
	}
	return handed
}

// fillItems makes an array that says nothing of its items take any.
func (h *handingOut) fillItems(s *site, handed *document.Node) {
	if set, ok := s.named(); ok && set&array != nothing && !s.has("items") && h.fillsItems {
		handed.Children = append(handed.Children, &document.Node{Kind: document.Map, Key: "items"})
	}
}

// boundInteger makes an integer fit 64 bits where it becomes one of them in Go.
func (h *handingOut) boundInteger(s *site, handed *document.Node) {
	if !h.reading.integers[s.node] {
		return
	}
	number := func(key string, value int64) *document.Node {
		return &document.Node{Kind: document.Number, Key: key, Text: strconv.FormatInt(value, 10)}
	}
	if lowest(s.node).node == nil {
		handed.Children = append(handed.Children, number("minimum", math.MinInt64))
	}
	if highest(s.node).node == nil {
		handed.Children = append(handed.Children, number("maximum", math.MaxInt64))
	}
}

// need notes that a definition of the document is used. One schema has one $defs, so its own definition of that name
// would be taken for it.
func (h *handingOut) need(target *site) {
	if !target.isShared() {
		return
	}
	def := target.definition()
	if h.needed[def] {
		return
	}
	if own := h.reading.root.one("$defs", def.name); own != nil {
		h.reading.reader.fault(own.node.KeyFault(diag.AmbiguousName, "rename one of them",
			"%s is also a definition of the document, on line %d, that this schema uses", diag.Quote(def.name), def.node.KeyPos.Line))
		return
	}
	h.needed[def] = true
	h.waiting = append(h.waiting, def)
}

// bundle adds the definitions of the document that are needed, and those that they need, to the schema's own. It ends
// because each of them waits once.
func (h *handingOut) bundle(handed *document.Node) {
	bundled := map[*site]*document.Node{}
	for len(h.waiting) > 0 {
		def := h.waiting[0]
		h.waiting = h.waiting[1:]
		bundled[def] = h.schema(def)
	}
	if len(bundled) == 0 {
		return
	}
	defs := handed.Get("$defs")
	if defs == nil {
		defs = &document.Node{Kind: document.Map, Key: "$defs"}
		handed.Children = append(handed.Children, defs)
	}
	for _, def := range h.reading.reader.shared.defs {
		if node := bundled[def]; node != nil {
			defs.Children = append(defs.Children, node)
		}
	}
}

// escape is a part of a JSON Pointer in the fragment of a URL.
func escape(part string) string { return url.PathEscape(document.EscapePart(part)) }
