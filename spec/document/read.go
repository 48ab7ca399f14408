package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// Limits on a document, so that reading one takes bounded time and memory.
const (
	maxBytes   = 4 << 20
	maxDepth   = 64
	maxAliased = 1 << 16 // values that aliases may add
)

// byteOrderMark may begin a file and is no part of its text.
const byteOrderMark = "\ufeff"

// Read reads src, the content of the file that the user named name. On a fault of the syntax there is no tree; with
// other faults there is, so that the rest can still be checked.
func Read(name string, src []byte) (*Node, diag.List) {
	src = bytes.TrimPrefix(src, []byte(byteOrderMark))
	if d, ok := unreadable(name, src); ok {
		return nil, diag.List{d}
	}
	root, d := parse(name, src)
	if root == nil {
		return nil, diag.List{*d}
	}
	b := builder{file: name, source: newSource(src), open: map[*yaml.Node]bool{}}
	tree := new(Node)
	b.fill(tree, root, 0)
	return tree, b.faults
}

// unreadable finds what no position could be given in: too much, no UTF-8, and characters that some take for the end
// of a line and some do not.
func unreadable(name string, src []byte) (diag.Diagnostic, bool) {
	start := diag.Pos{File: name, Line: 1, Column: 1}
	if len(src) > maxBytes {
		return diag.Diagnostic{Pos: start, Message: fmt.Sprintf("the file has %d bytes, more than %d", len(src), maxBytes), Code: diag.TooLarge,
			Hint: "split it into several specs"}, true
	}
	line, column := 1, 1
	for rest := src; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if d, ok := badRune(r, rest[:size], rest[size:]); ok {
			d.Pos = diag.Pos{File: name, Line: line, Column: column}
			return d, true
		}
		rest = rest[size:]
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return diag.Diagnostic{}, false
}

// badRune judges one character of the file by itself and what follows it.
func badRune(r rune, bytes, rest []byte) (diag.Diagnostic, bool) {
	switch {
	case r == utf8.RuneError && len(bytes) == 1:
		return diag.Diagnostic{Message: fmt.Sprintf("byte 0x%02x is not UTF-8", bytes[0]), Hint: "save the file as UTF-8", Code: diag.NotUTF8}, true
	case r == '\r' && (len(rest) == 0 || rest[0] != '\n'), r == '\u0085', r == '\u2028', r == '\u2029':
		return diag.Diagnostic{Message: fmt.Sprintf("character U+%04X ends a line to some readers and not to others", r),
			Hint: `end lines with a line feed; inside text write it as an escape in double quotes`, Code: diag.NotUTF8}, true
	case r < ' ' && r != '\n' && r != '\r' && r != '\t', r == '\u007f', r == '\ufffe', r == '\uffff':
		return diag.Diagnostic{Message: fmt.Sprintf("control character U+%04X", r), Hint: "inside text write it as an escape in double quotes",
			Code: diag.BadYAML}, true
	default:
		return diag.Diagnostic{}, false
	}
}

// errTooDeep stops the YAML parser.
var errTooDeep = errors.New("nested too deep")

// depthLimit is the parser's own guard; the depth of the tree itself is checked as it is built.
type depthLimit struct{}

// CheckDepth is called by the parser at each level.
func (depthLimit) CheckDepth(depth int, _ *yaml.DepthContext) error {
	if depth > maxDepth {
		return errTooDeep
	}
	return nil
}

// CheckAlias has nothing to do: aliases are expanded, and counted, as the tree is built.
func (depthLimit) CheckAlias(int, int) error { return nil }

// parse is the root value of the only document in src, or what keeps it from being read.
func parse(name string, src []byte) (*yaml.Node, *diag.Diagnostic) {
	pos := diag.Pos{File: name, Line: 1, Column: 1}
	loader, err := yaml.NewLoader(bytes.NewReader(src), yaml.WithPlugin(depthLimit{}))
	if err != nil {
		return nil, &diag.Diagnostic{Pos: pos, Message: err.Error(), Code: diag.BadYAML}
	}
	var first, second yaml.Node
	switch err := loader.Load(&first); {
	case errors.Is(err, io.EOF) || err == nil && len(first.Content) == 0:
		return nil, &diag.Diagnostic{Pos: pos, Message: "the file is empty", Hint: "begin with version: 1", Code: diag.EmptyDocument}
	case err != nil:
		return nil, syntax(name, src, err)
	}
	switch err := loader.Load(&second); {
	case errors.Is(err, io.EOF):
		return first.Content[0], nil
	case err != nil:
		return nil, syntax(name, src, err)
	}
	pos.Line, pos.Column = second.Line, second.Column
	return nil, &diag.Diagnostic{Pos: pos, Message: "a second YAML document begins here", Hint: "write one spec a file", Code: diag.ManyDocuments}
}
