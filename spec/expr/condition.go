package expr

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// Condition is a path that is equal to another path or to a literal, in the spelling of CEL.
type Condition struct {
	Left  *Path
	Right Node // a *Path or a *Constant, of a kind that may equal Left
}

// Pos is where the condition begins.
func (c *Condition) Pos() diag.Pos { return c.Left.At }

// Type is true or false, which there always is: a path to what is absent makes the condition false.
func (c *Condition) Type() Type {
	return Type{Use: schema.Use{Type: &schema.Type{Kind: schema.Boolean}}}
}

// Paths are the paths that the condition compares; none of a nil one.
func (c *Condition) Paths() []*Path {
	if c == nil {
		return nil
	}
	paths := []*Path{c.Left}
	if right, ok := c.Right.(*Path); ok {
		paths = append(paths, right)
	}
	return paths
}

// equals is the only operator of a condition.
const equals = "=="

// ReadCondition reads the whole text of a node as a condition. It gives nil if there are faults, or were.
func ReadCondition(node *document.Node, scope Scope) (*Condition, diag.List) {
	faults := CheckStyle(node)
	if node.Broken || node.Folded() {
		return nil, faults
	}
	left, right, compares := strings.Cut(node.Text, equals)
	if !compares {
		faults.Add(notACondition(node, strings.Index(node.Text, strings.TrimSpace(node.Text))))
		return nil, faults
	}
	path, more := readLeft(node, trimmed(left, 0), scope)
	faults = append(faults, more...)
	if slices.ContainsFunc(more, func(d diag.Diagnostic) bool { return d.Code == diag.NotACondition }) {
		return nil, faults // what follows belongs to something else
	}
	other, more := readRight(node, trimmed(right, len(left)+len(equals)), scope)
	faults = append(faults, more...)
	if path == nil || other == nil {
		return nil, faults
	}
	if d, ok := canEqual(node, path, other); !ok {
		faults.Add(d)
	}
	if len(faults) > 0 {
		return nil, faults
	}
	return &Condition{Left: path, Right: other}, nil
}

// trimmed is an operand at an offset of a text, without the space around it. One that is nothing is where it would begin.
func trimmed(text string, offset int) Span {
	rest := strings.TrimLeft(text, space)
	if rest == "" {
		return Span{Start: offset, Expr: true}
	}
	return Span{Text: strings.TrimRight(rest, space), Start: offset + len(text) - len(rest), Expr: true}
}

// space may stand around operands.
const space = " \t\n"

func readLeft(node *document.Node, span Span, scope Scope) (*Path, diag.List) {
	if !IsName(identifier.FindString(span.Text)) || isWord(span.Text) {
		return nil, diag.List{notACondition(node, span.Start)}
	}
	return readOperand(node, span, scope)
}

func readRight(node *document.Node, span Span, scope Scope) (Node, diag.List) {
	literal, d, is := readLiteral(node, span)
	switch {
	case is && literal == nil:
		return nil, diag.List{d}
	case is:
		return literal, nil
	case !IsName(identifier.FindString(span.Text)):
		return nil, diag.List{notACondition(node, span.Start)}
	}
	path, faults := readOperand(node, span, scope)
	if path == nil {
		return nil, orQuoted(faults, span.Text)
	}
	return path, faults
}

// orQuoted adds to the hint at a name that is not in scope that it may be a text without its quotes.
func orQuoted(faults diag.List, operand string) diag.List {
	for i, d := range faults {
		if d.Code == diag.UnknownRoot && IsName(operand) {
			faults[i].Hint = "quote it if it is text: " + diag.Quote(operand) + "; " + d.Hint
		}
	}
	return faults
}

// readOperand reads a path. What goes on after one, as a call does, makes no condition.
func readOperand(node *document.Node, span Span, scope Scope) (*Path, diag.List) {
	if _, bad := split(span.Text); bad >= 0 {
		return nil, diag.List{notACondition(node, span.Start+bad)}
	}
	read, faults := ReadSpan(node, span, scope)
	path, _ := read.(*Path)
	return path, faults
}

// onlyEquals is what is said of a condition in which something else stands.
const onlyEquals = "only one path that equals one path or literal is supported here"

// WriteEquals is the hint that goes with it. Whoever knows what the condition is for can add what does without one.
const WriteEquals = "write a path, one ==, and a path or a literal, as in state.status == 'closed' or state.value == payload.value"

func notACondition(node *document.Node, offset int) diag.Diagnostic {
	d := node.Fault(diag.NotACondition, WriteEquals, onlyEquals)
	d.Pos = node.At(offset)
	return d
}
