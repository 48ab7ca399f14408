// Package document reads a YAML file into a tree in which every key and value knows its place.
//
// It keeps the source text of scalars, takes only what means the same to every reader of YAML, and knows nothing of
// the spec language.
package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// Kind is the kind of a Node.
type Kind int

// The kinds of nodes.
const (
	Null Kind = iota
	Boolean
	Number
	Text
	List
	Map
)

// String names the kind as people know it.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "text", "a list", "a map"}[k]
}

// Node is a value of the document. Its methods may be called on nil, which is a value that is not there.
type Node struct {
	Kind     Kind
	Text     string  // of a scalar: its value; of a number as it was written
	Children []*Node // items of a List, members of a Map, in the order of the file
	Key      string  // of a member of a Map
	KeyPos   diag.Pos
	Pos      diag.Pos
	Broken   bool // a fault of it has been reported; what it holds is a guess
	parent   *Node
	index    int              // of an item of a List
	byKey    map[string]*Node // the Children of a Map; nil in a node that was not read
	origin   origin
}

// Get is the member of a Map under a key; nil if there is none.
func (n *Node) Get(key string) *Node {
	if !n.Is(Map) {
		return nil
	}
	if n.byKey != nil {
		return n.byKey[key]
	}
	for _, child := range n.Children {
		if child.Key == key {
			return child
		}
	}
	return nil
}

// Is tells whether the node is there and of a kind.
func (n *Node) Is(kind Kind) bool { return n != nil && n.Kind == kind }

// Keys are the keys of a Map, in the order of the file.
func (n *Node) Keys() []string {
	if !n.Is(Map) {
		return nil
	}
	keys := make([]string, len(n.Children))
	for i, child := range n.Children {
		keys[i] = child.Key
	}
	return keys
}

// Where is the key path of the node: operations.set_setting.diff[0].after.
func (n *Node) Where() string {
	if n == nil || n.parent == nil {
		return ""
	}
	above := n.parent.Where()
	switch {
	case n.parent.Kind == List:
		return above + "[" + strconv.Itoa(n.index) + "]"
	case above == "":
		return pathPart(n.Key)
	default:
		return above + "." + pathPart(n.Key)
	}
}

// pathPart keeps a key that is no plain word from being read as a path, or as one without what cannot be seen of it.
func pathPart(key string) string {
	if key == "" || strings.ContainsFunc(key, func(r rune) bool { return r == ' ' || !unicode.IsPrint(r) || strings.ContainsRune(".[]:'\"", r) }) {
		return diag.Quote(key)
	}
	return key
}

// Fault is a diagnostic about the value of the node.
func (n *Node) Fault(code, hint, format string, args ...any) diag.Diagnostic {
	return diag.Diagnostic{Pos: n.Pos, Where: n.Where(), Message: fmt.Sprintf(format, args...), Hint: hint, Code: code}
}

// KeyFault is a diagnostic about the key of the node, or about the node where it has none.
func (n *Node) KeyFault(code, hint, format string, args ...any) diag.Diagnostic {
	d := n.Fault(code, hint, format, args...)
	d.Pos = n.Start()
	return d
}

// Start is where the node begins: at its key, if it has one.
func (n *Node) Start() diag.Pos {
	if n.KeyPos.Line > 0 {
		return n.KeyPos
	}
	return n.Pos
}

// At is the place of a byte of Text in the file. For text that YAML folds it is the place of the node.
func (n *Node) At(offset int) diag.Pos { return n.origin.at(n, offset) }
