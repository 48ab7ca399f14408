package expr

import (
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// The marks of a template.
const (
	Opening = "${"
	Closing = "}"
	// Literal stands for an Opening that opens nothing.
	Literal = "$${"
)

// Span is a piece of a template as it is written: text, or an expression between ${ and }.
type Span struct {
	Text  string // of an expression without its marks and the space within them
	Start int    // offset in the template: of the text, or of the expression without marks and space
	Expr  bool
}

// Split cuts a template into its pieces. The offset of a ${ that is not closed is given as unclosed, which is -1 if
// there is none; what follows it is left out.
func Split(template string) (spans []Span, unclosed int) {
	var text strings.Builder
	start := 0
	flush := func(next int) {
		if text.Len() > 0 {
			spans = append(spans, Span{Text: text.String(), Start: start})
		}
		text.Reset()
		start = next
	}
	for at := 0; at < len(template); {
		rest := template[at:]
		switch {
		case strings.HasPrefix(rest, Literal):
			text.WriteString(Opening)
			at += len(Literal)
		case strings.HasPrefix(rest, Opening):
			span, length := Expression(template, at)
			flush(at + length)
			if length == 0 {
				return spans, at
			}
			spans = append(spans, span)
			at += length
		default:
			next := 1 + plain(rest[1:])
			text.WriteString(rest[:next])
			at += next
		}
	}
	flush(len(template))
	return spans, -1
}

// plain is how much of a text comes before its next dollar sign.
func plain(text string) int {
	if i := strings.IndexByte(text, '$'); i >= 0 {
		return i
	}
	return len(text)
}

// Expression is the expression whose ${ is at an offset of text, and its length with its marks; 0 if it is not closed.
func Expression(text string, at int) (span Span, length int) {
	inner, _, closed := strings.Cut(text[at+len(Opening):], Closing)
	if !closed {
		return Span{}, 0
	}
	trimmed := strings.TrimLeft(inner, " \t\n")
	start := at + len(Opening) + len(inner) - len(trimmed)
	return Span{Text: strings.TrimRight(trimmed, " \t\n"), Start: start, Expr: true}, len(Opening) + len(inner) + len(Closing)
}

// ReadTemplate reads the text of a node as a template whose expressions see a scope, without the line ends that a YAML
// block closes with. The template is nil if there are faults, or were.
func ReadTemplate(node *document.Node, scope Scope) (*Template, diag.List) {
	faults := CheckStyle(node)
	if node.Broken || node.Folded() {
		return nil, faults
	}
	spans, unclosed := Split(strings.TrimRight(node.Text, "\n"))
	if unclosed >= 0 {
		faults.Add(UnclosedAt(node, unclosed))
	}
	template := &Template{At: node.Pos}
	for _, span := range spans {
		part := Part{Text: span.Text}
		if span.Expr {
			path, more := ReadSpan(node, span, scope)
			part, faults = Part{Expr: path}, append(faults, more...)
		}
		template.Parts = append(template.Parts, part)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return template, nil
}

// UnclosedAt reports a ${ at an offset of a node's text that has no }.
func UnclosedAt(node *document.Node, offset int) diag.Diagnostic {
	d := node.Fault(diag.Unclosed, "close it, or write $${ for a literal ${", "'${' is not closed by a '}'")
	d.Pos = node.At(offset)
	return d
}

// CheckStyle reports text that YAML does not give as it stands in the file, so that a reviewer could be misled and
// places in it are lost. It says nothing of text at fault that is reported already.
func CheckStyle(node *document.Node) diag.List {
	return checkStyle(node, (*document.Node).Rewritten)
}

// CheckBlock is CheckStyle for text that is laid out in lines: to join them could change what it means.
func CheckBlock(node *document.Node) diag.List {
	return checkStyle(node, func(*document.Node) string { return "" })
}

// checkStyle is CheckStyle for text that would be what oneLine gives if it were written on one line; "" if it should not
// be.
func checkStyle(node *document.Node, oneLine func(*document.Node) string) diag.List {
	var faults diag.List
	if node.Broken {
		return nil
	}
	if node.Folded() {
		hint := "write it as a block that begins with |"
		if line := oneLine(node); line != "" {
			hint = "write it on one line, " + line + ", or as a block that begins with |"
		}
		faults.Add(node.Fault(diag.FoldedText, hint, "YAML folds this text into one line"))
	}
	if at, found := node.CommentAfter(); found {
		d := node.Fault(diag.FoldedText, "quote the text if this is part of it, or put the comment on a line of its own",
			"YAML takes the end of this line for a comment")
		d.Pos = at
		faults.Add(d)
	}
	return faults
}
