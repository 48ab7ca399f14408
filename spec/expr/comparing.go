package expr

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// family is what values of one kind are compared as.
type family int

const (
	uncompared family = iota
	texts
	numbers
	truths
)

// familyOf is how values of a type are compared. A date-time has many spellings, and what has parts is never one value.
func familyOf(t *schema.Type) family {
	kind := t.Kind
	if kind == schema.Enum {
		kind = t.Base
	}
	switch kind {
	case schema.String:
		if t.DateTime {
			return uncompared
		}
		return texts
	case schema.Integer, schema.WideInteger, schema.Number, schema.Float:
		return numbers
	case schema.Boolean:
		return truths
	default:
		return uncompared
	}
}

// canEqual tells whether a path may equal an operand, and if not why. Of a schema at fault nothing is said.
func canEqual(node *document.Node, left *Path, right Node) (d diag.Diagnostic, ok bool) {
	literal, isLiteral := right.(*Constant)
	path, _ := right.(*Path)
	switch {
	case left.isUnknown() || path != nil && path.isUnknown():
		return d, true
	case isLiteral && literal.Kind == NullConstant:
		return left.againstNull(node, literal)
	}
	for _, operand := range []*Path{left, path} {
		if operand != nil && familyOf(operand.Of.Use.Type) == uncompared {
			return operand.uncompared(node), false
		}
	}
	if isLiteral {
		return left.againstLiteral(node, literal)
	}
	if left.String() == path.String() {
		return left.fault(node, "compare it with another value", "%s is compared with itself", diag.Quote(left.String())), false
	}
	if familyOf(left.Of.Use.Type) != familyOf(path.Of.Use.Type) {
		return left.fault(node, "", "%s is %s, and %s is %s: they are never equal",
			diag.Quote(left.String()), left.what(), diag.Quote(path.String()), path.what()), false
	}
	return d, true
}

// againstNull tells whether there may be no value at the end of a path, in what holds it.
func (p *Path) againstNull(node *document.Node, literal *Constant) (d diag.Diagnostic, ok bool) {
	may := p.Of.Nullable || len(p.Fields) == 0 && p.Of.MayBeAbsent ||
		len(p.Fields) > 0 && !p.Fields[len(p.Fields)-1].Required
	switch {
	case p.Of.Use.Type.Kind == schema.Raw:
		return p.uncompared(node), false
	case !may:
		d = p.fault(node, "", "%s is always there and never null", diag.Quote(p.String()))
		d.Pos = literal.At
		return d, false
	}
	return d, true
}

// againstLiteral tells whether a path may lead to the value of a literal that is not null.
func (p *Path) againstLiteral(node *document.Node, literal *Constant) (d diag.Diagnostic, ok bool) {
	t := p.Of.Use.Type
	report := func(hint, format string, args ...any) (diag.Diagnostic, bool) {
		d := p.fault(node, hint, format, args...)
		d.Pos = literal.At
		return d, false
	}
	whole := t.Kind == schema.Integer || t.Kind == schema.WideInteger || t.Kind == schema.Enum && t.Base == schema.Integer
	switch {
	case familyOf(t) != familyOf(literal.Type().Use.Type):
		return report("", "%s is %s, and %s is %s: they are never equal",
			diag.Quote(p.String()), p.what(), diag.Quote(literal.Text), literal.Type().Use.Type.Kind)
	case t.Never(literal.Text):
		return report("", "%s is never %s", diag.Quote(p.String()), literal.Text)
	case whole && literal.Kind == NumberConstant:
		return report("write a whole number, in plain digits", "%s is an integer", diag.Quote(p.String()))
	case t.Kind == schema.Enum && !slices.ContainsFunc(t.Values, func(v schema.Value) bool { return v.Text == literal.Text }):
		hint, text := unlike(literal.Text, t.Values)
		return report(hint, "%s is never %s", diag.Quote(p.String()), text)
	}
	return d, true
}

// unlike is what to write instead of a text that is none of some values, and that text in quotes. Where accents are
// characters of their own, two that look the same may differ, so that all are spelt in ASCII.
func unlike(text string, of []schema.Value) (hint, quoted string) {
	values := make([]string, len(of))
	for i, v := range of {
		values[i] = v.Text
	}
	all := append(slices.Clone(values), text)
	if slices.ContainsFunc(all, func(s string) bool { return strings.ContainsFunc(s, unicode.IsMark) }) {
		for i := range all {
			all[i] = strconv.QuoteToASCII(all[i])
		}
		return "it has " + strings.Join(all[:len(of)], ", "), all[len(of)]
	}
	return cmp.Or(diag.DidYouMean(text, values), "it has "+diag.QuoteAll(values)), diag.Quote(text)
}

// isUnknown tells whether a path leads into a schema that is at fault.
func (p *Path) isUnknown() bool { return p.Of.Use.Type.Kind == schema.Invalid }

// what says what a path leads to.
func (p *Path) what() string {
	if p.Of.Use.Type.DateTime {
		return "a date-time"
	}
	return p.Of.Use.Type.Kind.String()
}

func (p *Path) uncompared(node *document.Node) diag.Diagnostic {
	hint := ""
	if len(p.Of.Use.Type.Fields) > 0 {
		hint = "compare a field of it"
	}
	return p.fault(node, hint, "%s is %s, which is not compared here", diag.Quote(p.String()), p.what())
}

// fault is a diagnostic about the value of a path.
func (p *Path) fault(node *document.Node, hint, format string, args ...any) diag.Diagnostic {
	d := node.Fault(diag.Incomparable, hint, format, args...)
	d.Pos = p.At
	return d
}
