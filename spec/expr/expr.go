// Package expr holds the expressions of a spec: parsed, checked against the schemas, and ready to be printed as Go.
package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// Node is one node of a checked expression.
type Node interface {
	// Pos is where the node begins in the spec.
	Pos() diag.Pos
	// Type is the type of its value.
	Type() Type
}

// Type is the type of an expression's value.
type Type struct {
	schema.Use
	// MayBeAbsent says that there may be no value at all: an optional property on the way, or a state that may be absent.
	MayBeAbsent bool
}

// Root is where a path starts.
type Root string

// The roots; which are in scope depends on the key that holds the expression.
const (
	Payload Root = "payload"
	State   Root = "state"
	Before  Root = "before"
	After   Root = "after"
	Result  Root = "result"
	Item    Root = "item" // of the list that rows of a diff go through
)

// Path is a dotted path: payload.a.b. A root alone has no Fields.
type Path struct {
	Root   Root
	Fields []*schema.Field
	At     diag.Pos
	Of     Type
}

// Pos is where the path begins.
func (p *Path) Pos() diag.Pos { return p.At }

// Type is the type of the value at the path's end.
func (p *Path) Type() Type { return p.Of }

// Into is the path that goes on into a field of the object that the path leads to. What is in something sensitive is
// sensitive too.
func (p *Path) Into(field *schema.Field) *Path {
	of := Type{Use: field.Use, MayBeAbsent: p.Of.MayBeAbsent || p.Of.Nullable || !field.Required}
	of.Sensitive = of.Sensitive || p.Of.Sensitive
	return &Path{Root: p.Root, Fields: append(slices.Clip(p.Fields), field), At: p.At, Of: of}
}

// Names are the names of the fields on the way.
func (p *Path) Names() []string {
	names := make([]string, len(p.Fields))
	for i, field := range p.Fields {
		names[i] = field.Name
	}
	return names
}

// Template is text with expressions in ${…}.
type Template struct {
	Parts []Part
	At    diag.Pos
}

// Part is a piece of a template: literal text, or an expression where Expr is not nil.
type Part struct {
	Text string
	Expr Node
}

// Nodes are the expressions in a template; none in a nil one.
func (t *Template) Nodes() []Node {
	if t == nil {
		return nil
	}
	var nodes []Node
	for _, part := range t.Parts {
		if part.Expr != nil {
			nodes = append(nodes, part.Expr)
		}
	}
	return nodes
}

// String is the template in one spelling, whatever stands around its expressions; "" of a nil one.
func (t *Template) String() string {
	if t == nil {
		return ""
	}
	var text strings.Builder
	for _, part := range t.Parts {
		if part.Expr == nil {
			text.WriteString(strings.ReplaceAll(part.Text, Opening, Literal))
			continue
		}
		fmt.Fprintf(&text, "%s%v%s", Opening, part.Expr, Closing)
	}
	return text.String()
}
