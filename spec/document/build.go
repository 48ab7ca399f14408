package document

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// builder makes the tree of a document from what the YAML parser gives.
type builder struct {
	file    string
	source  *source
	open    map[*yaml.Node]bool // what is being built: an alias to one of them would never end
	inAlias int                 // aliases that are being expanded
	aliased int                 // nodes that aliases have added
	bloated bool                // that they are too many is reported
	faults  diag.List
}

// fault reports a node and marks it, so that nothing more is said about it.
func (b *builder) fault(n *Node, code, hint, format string, args ...any) {
	n.Broken = true
	b.faults.Add(n.Fault(code, hint, format, args...))
}

func (b *builder) pos(y *yaml.Node) diag.Pos {
	return diag.Pos{File: b.file, Line: max(y.Line, 1), Column: max(y.Column, 1)}
}

// fill gives n, which knows its parent and key, the value of y.
func (b *builder) fill(n *Node, y *yaml.Node, depth int) {
	if n.Pos.Line == 0 {
		n.Pos = b.pos(y)
	}
	n.origin = origin{source: b.source, style: y.Style}
	if y.Kind == yaml.AliasNode {
		b.alias(n, y, depth)
		return
	}
	if b.inAlias > 0 {
		b.aliased++
	}
	if depth > maxDepth {
		b.fault(n, diag.TooDeep, "", "nested more than %d deep", maxDepth)
		return
	}
	b.open[y] = true
	defer delete(b.open, y)
	switch y.Kind {
	case yaml.MappingNode:
		n.Kind = Map
		b.members(n, y.Content, depth+1)
	case yaml.SequenceNode:
		n.Kind = List
		b.items(n, y.Content, depth+1)
	default:
		b.scalar(n, y, asMeant)
	}
	b.tag(n, y)
}

// tag refuses a tag: the language has no use for one, and readers differ in what they make of it.
func (b *builder) tag(n *Node, y *yaml.Node) {
	if y.Style&yaml.TaggedStyle == 0 && y.Tag != "!" {
		return
	}
	hint := "leave the tag out, and quote what is text"
	if quoted := n.Quoted(); quoted != "" && !strings.HasPrefix(y.Tag, "!!") {
		hint = "quote it: " + quoted
	}
	b.fault(n, diag.ExplicitTag, hint, "the YAML tag %s", diag.Quote(y.Tag))
}

// alias gives n what an alias stands for, as if it were written again. Faults in it are at the place of the anchor.
func (b *builder) alias(n *Node, y *yaml.Node, depth int) {
	switch {
	case b.open[y.Alias]:
		b.fault(n, diag.BadAlias, "write the value out", "alias %s is part of what it stands for", diag.Quote("*"+y.Value))
	case b.aliased > maxAliased:
		b.expanded(n)
	default:
		b.inAlias++
		n.Pos = b.pos(y.Alias)
		b.fill(n, y.Alias, depth)
		b.inAlias--
	}
}

// expanded reports once that aliases expand to too much: what comes after adds nothing.
func (b *builder) expanded(n *Node) {
	n.Broken = true
	if !b.bloated {
		b.bloated = true
		b.fault(n, diag.BadAlias, "write values out", "aliases expand to more than %d values", maxAliased)
	}
}

// members builds the members of a map. One whose key is no text that could be meant is left out.
func (b *builder) members(n *Node, content []*yaml.Node, depth int) {
	n.byKey = make(map[string]*Node, len(content)/2)
	for i := 0; i+1 < len(content); i += 2 {
		child := &Node{parent: n}
		if !b.key(child, content[i]) {
			continue
		}
		if earlier, taken := n.byKey[child.Key]; taken {
			child.Pos = child.KeyPos
			b.fault(child, diag.DuplicateKey, "keep one of them", "key %s is already on line %d", diag.Quote(child.Key), earlier.KeyPos.Line)
			continue
		}
		n.byKey[child.Key] = child
		if y := content[i+1]; y.Kind == yaml.ScalarNode && y.Value == "" && !written(y) {
			child.Pos = child.KeyPos
		}
		b.fill(child, content[i+1], depth)
		n.Children = append(n.Children, child)
	}
}

// written tells whether a scalar is there at all: a key with nothing after it has a value too.
func written(y *yaml.Node) bool { return y.Style != 0 || y.Anchor != "" }

// key gives n its key and reports what is wrong with it; false if there is nothing to go by.
func (b *builder) key(n *Node, y *yaml.Node) bool {
	n.Key, n.KeyPos = y.Value, b.pos(y)
	key := &Node{parent: n.parent, Key: n.Key, Pos: n.KeyPos}
	switch {
	case y.Kind == yaml.AliasNode:
		b.fault(key, diag.BadAlias, "write the key out", "an alias as a key")
	case y.Kind != yaml.ScalarNode:
		d := n.parent.Fault(diag.KeyNotText, "write the key as a word", "a key that is a list or a map")
		d.Pos = n.KeyPos
		b.faults.Add(d)
	case y.Tag == "!!merge":
		n.parent.Broken = true // what it seems to lack may be there
		b.fault(key, diag.MergeKey, "write the keys out, or use defaults", "the merge key <<")
	default:
		b.scalar(key, y, quote)
		b.tag(key, y)
		if key.Kind != Text && !key.Broken {
			b.fault(key, diag.KeyNotText, quote(y.Value), "key %s is not text", diag.Quote(y.Value))
		}
		return true
	}
	return false
}

func (b *builder) items(n *Node, content []*yaml.Node, depth int) {
	for i, item := range content {
		child := &Node{parent: n, index: i}
		b.fill(child, item, depth)
		n.Children = append(n.Children, child)
	}
}

// scalar gives n the value of a scalar. What to write for one that is not clear is said by instead.
func (b *builder) scalar(n *Node, y *yaml.Node, instead func(string) string) {
	n.Kind, n.Text = Text, y.Value
	if y.Style&quoted != 0 {
		return
	}
	kind, ok := resolve(y.Value)
	switch {
	case !ok:
		b.fault(n, diag.AmbiguousValue, instead(y.Value), "plain %s means different things to different YAML readers", diag.Quote(y.Value))
	case kind == Number && tooBig(y.Value):
		b.fault(n, diag.NumberLimits, "quote what is text", "a number of more than %d digits, beyond 1.8·10^308, or finer than 10^-%d", maxPower, maxPower)
	default:
		n.Kind = kind
	}
}
