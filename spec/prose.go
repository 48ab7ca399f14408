package spec

import (
	"strings"
	"unicode"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkLine reports text that a person could not read in a line: nothing to see, several lines, or what is not seen.
func (c *checker) checkLine(node *document.Node) {
	if c.blank(node) {
		return
	}
	c.checkSeen(node, func(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' })
}

// checkWord reports text that is compared and not all seen. The language's schema has said so if it is blank.
func (c *checker) checkWord(node *document.Node) {
	c.checkSeen(node, func(r rune) bool { return unicode.IsControl(r) || unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp) })
}

// checkLines is checkLine for text that may have several lines.
func (c *checker) checkLines(node *document.Node) {
	if !c.blank(node) {
		c.checkCode(node)
	}
}

// checkCode reports characters that are not seen in text that is laid out in lines.
func (c *checker) checkCode(node *document.Node) {
	c.checkSeen(node, func(r rune) bool { return unicode.IsControl(r) && !unicode.IsSpace(r) })
}

// blank reports text that is there and shows nothing. Text of no length is reported by the language's schema.
func (c *checker) blank(node *document.Node) bool {
	if node == nil || node.Text == "" || strings.TrimSpace(node.Text) != "" {
		return false
	}
	c.fault(node.Fault(diag.BadValue, "", "must not be blank"))
	return true
}

// checkSeen reports the first character of a text that may not stand there. Blocks of YAML end with a line feed, which
// is not meant.
func (c *checker) checkSeen(node *document.Node, hidden func(rune) bool) {
	if node == nil {
		return
	}
	text := strings.TrimRight(node.Text, "\n")
	i := strings.IndexFunc(text, hidden)
	if i < 0 {
		return
	}
	found, hint := "control character", "take it out"
	if strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", []rune(text[i:])[0]) {
		found, hint = "line break", "write one line"
	} else if unicode.Is(unicode.Cf, []rune(text[i:])[0]) {
		found = "character that is not seen"
	}
	d := node.Fault(diag.BadValue, hint, "must not hold a %s, U+%04X", found, []rune(text[i:])[0])
	d.Pos = node.At(i)
	c.fault(d)
}
