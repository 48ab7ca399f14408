package document

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/changesetgen/changesetgen/spec/diag"
)

// origin is how a value was written, which is what the places of its characters follow from.
type origin struct {
	source *source // of the whole file; nil for a value that was not read
	style  yaml.Style
}

// quoted are the styles in which a # is part of the text.
const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

// Folded tells whether YAML folds the text of the node, or takes its line breaks for spaces, so that the places of
// its characters are lost.
func (n *Node) Folded() bool {
	if n.origin.style&yaml.FoldedStyle != 0 {
		return true
	}
	if n.Kind != Text || n.origin.style&yaml.LiteralStyle != 0 {
		return false
	}
	rest, _ := n.origin.content(n)
	return n.origin.width(rest, n.Text) < 0
}

// CommentAfter is the place of a comment that follows a plain scalar on its line: text that holds " #" loses its end.
func (n *Node) CommentAfter() (at diag.Pos, found bool) {
	if n.Kind != Text || n.origin.style&quoted != 0 {
		return diag.Pos{}, false
	}
	rest, column := n.origin.content(n)
	after, ok := strings.CutPrefix(rest, n.Text)
	comment := strings.TrimLeft(after, " \t")
	if !ok || !strings.HasPrefix(comment, "#") {
		return diag.Pos{}, false
	}
	column += utf8.RuneCountInString(strings.TrimSuffix(rest, comment))
	return diag.Pos{File: n.Pos.File, Line: n.Pos.Line, Column: column}, true
}

func (o origin) at(n *Node, offset int) diag.Pos {
	if o.style&yaml.LiteralStyle != 0 {
		return o.inLiteral(n, offset)
	}
	if n.Kind != Text || o.style&yaml.FoldedStyle != 0 {
		return n.Pos
	}
	rest, column := o.content(n)
	width := o.width(rest, n.Text[:min(offset, len(n.Text))])
	if width < 0 {
		return n.Pos
	}
	return diag.Pos{File: n.Pos.File, Line: n.Pos.Line, Column: column + width}
}

// inLiteral finds a place in a | block: its lines follow the one with the |, each indented alike, so that a line of
// the text is the end of a line of the file. An empty block at the end of a file has no line.
func (o origin) inLiteral(n *Node, offset int) diag.Pos {
	before := n.Text[:min(offset, len(n.Text))]
	start := strings.LastIndexByte(before, '\n') + 1
	text, _, _ := strings.Cut(n.Text[start:], "\n")
	line := n.Pos.Line + 1 + strings.Count(before, "\n")
	written := o.source.from(line, 1)
	if o.source == nil || line > len(o.source.lines) || !strings.HasSuffix(written, text) {
		return n.Pos
	}
	indent := utf8.RuneCountInString(written) - utf8.RuneCountInString(text)
	return diag.Pos{File: n.Pos.File, Line: line, Column: indent + utf8.RuneCountInString(before[start:]) + 1}
}

// content is the rest of the line from the first character of a scalar's text, and the column of that character.
func (o origin) content(n *Node) (rest string, column int) {
	rest = o.source.from(n.Pos.Line, n.Pos.Column)
	whole := rest
	if strings.HasPrefix(rest, "&") { // the place of an anchored node is that of its anchor
		_, rest, _ = strings.Cut(rest, " ")
		rest = strings.TrimLeft(rest, " \t")
	}
	if o.style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 && rest != "" {
		rest = rest[1:]
	}
	return rest, n.Pos.Column + utf8.RuneCountInString(whole) - utf8.RuneCountInString(rest)
}

// width is how many characters of the source stand for text; -1 if the line does not hold it.
func (o origin) width(rest, text string) int {
	width := 0
	for text != "" {
		source, size := o.next(rest)
		if source == 0 || size > len(text) || rest[0] != '\\' && rest[0] != text[0] {
			return -1
		}
		width += utf8.RuneCountInString(rest[:source])
		rest, text = rest[source:], text[size:]
	}
	return width
}

// next is the length in bytes of the next character as it is written, and of what it stands for.
func (o origin) next(rest string) (source, text int) {
	_, size := utf8.DecodeRuneInString(rest)
	switch {
	case o.style&yaml.SingleQuotedStyle != 0 && strings.HasPrefix(rest, "''"):
		return 2, 1
	case o.style&yaml.DoubleQuotedStyle != 0 && strings.HasPrefix(rest, `\`):
		return escape(rest[1:])
	default:
		return size, size
	}
}

// escapeDigits are the hexadecimal digits that follow each of YAML's numeric escapes.
var escapeDigits = map[byte]int{'x': 2, 'u': 4, 'U': 8}

// escape is next for what follows a backslash in double quotes.
func escape(rest string) (source, text int) {
	if rest == "" {
		return 0, 0
	}
	switch rest[0] {
	case 'N', '_':
		return 2, 2
	case 'L', 'P':
		return 2, 3
	}
	digits, numeric := escapeDigits[rest[0]]
	if !numeric || len(rest) < 1+digits {
		return 2, 1
	}
	value, err := strconv.ParseUint(rest[1:1+digits], 16, 32)
	if err != nil || value > utf8.MaxRune {
		return 0, 0
	}
	return 2 + digits, max(utf8.RuneLen(rune(value)), 1)
}
