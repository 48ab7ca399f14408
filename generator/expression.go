package generator

import (
	"fmt"
	"strings"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// scope holds the roots of expressions where they stand in the generated code.
type scope map[expr.Root]root

// root is a value that paths start from, or a pointer to it.
type root struct {
	at          emit.Expr
	of          *schema.Type // the value
	mayBeAbsent bool         // it is a pointer, and nil where there is no value
	mayBeNull   bool         // it is a pointer, and nil where the value is null
}

// lookScope is the scope of a query before apply.
func lookScope(op *operation) scope {
	return scope{expr.Payload: {at: emit.Name("p"), of: op.Payload}}
}

// changeScope is the scope of what is shown.
func changeScope(op *operation) scope {
	c := emit.Name("c")
	return scope{
		expr.Payload: {at: c.Dot("Payload"), of: op.Payload},
		expr.State:   {at: c.Dot("State"), of: op.resource.State, mayBeAbsent: mayBeAbsent(op.resource)},
	}
}

// appliedScope is the scope of a look after apply.
func appliedScope(op *operation) scope {
	c := emit.Name("c")
	s := scope{
		expr.Payload: {at: c.Dot("Payload"), of: op.Payload},
		expr.Before:  {at: c.Dot("Before"), of: op.resource.State, mayBeAbsent: mayBeAbsent(op.resource)},
	}
	if op.Result != nil {
		s[expr.Result] = root{at: c.Dot("Result"), of: op.Result}
	}
	return s
}

// mayBeAbsent says whether an operation on r may be previewed while there is nothing.
func mayBeAbsent(r *resource) bool {
	return r.Absent != spec.AbsentRefused || r.Observe.Kind == spec.ObserveNone
}

// text is the string that a template makes.
func (s scope) text(t *expr.Template) emit.Expr {
	var plain, format strings.Builder
	var values []emit.Expr
	for _, part := range t.Parts {
		if part.Expr != nil {
			format.WriteString("%v")
			values = append(values, s.plain(part.Expr))
			continue
		}
		plain.WriteString(part.Text)
		format.WriteString(strings.ReplaceAll(part.Text, "%", "%%"))
	}
	if len(values) == 0 {
		return emit.String(plain.String())
	}
	return runtimePkg.Dot("Textf").CallFit([]emit.Expr{emit.String(format.String())}, values...)
}

// arguments are the parameters of a query.
func (s scope) arguments(nodes []expr.Node) []emit.Expr {
	args := make([]emit.Expr, len(nodes))
	for i, n := range nodes {
		args[i] = s.plain(n)
	}
	return args
}

// cell is the value of a row of the diff: nil where there is none, a nil pointer where it is null.
func (s scope) cell(n expr.Node) emit.Expr {
	return s.value(n, func(x emit.Expr, f *schema.Field) emit.Expr {
		if present := presence(f); present != "" {
			return runtimePkg.Dot(present).Call(x)
		}
		return x
	})
}

// presence is the function of the runtime that makes a nil field absent; "" where there is no need for one, as the
// runtime knows what is absent of raw JSON and of a runtime.Optional.
func presence(f *schema.Field) string {
	kind := f.Use.Type.Kind
	switch {
	case f.Required, kind == schema.Raw, holding(f) == holdsOptional:
		return ""
	case kind == schema.Array:
		return "PresentList"
	case kind == schema.Map:
		return "PresentMap"
	default:
		return "Present"
	}
}

// plain is a value for text or a query, where absent and null come out the same.
func (s scope) plain(n expr.Node) emit.Expr {
	return s.value(n, func(x emit.Expr, _ *schema.Field) emit.Expr { return x })
}

// value is an expression as Go; end makes the value of the last field of a path.
func (s scope) value(n expr.Node, end func(emit.Expr, *schema.Field) emit.Expr) emit.Expr {
	p, ok := n.(*expr.Path)
	if !ok {
		return emit.Bad(fmt.Errorf("%sthere is no Go for an expression of type %T", n.Pos(), n))
	}
	from, ok := s[p.Root]
	w := walk{result: anyType, through: "Of", end: end}
	switch {
	case !ok:
		return emit.Bad(fmt.Errorf("%s%s means nothing here", n.Pos(), p.Root))
	case len(p.Fields) == 0 && from.mayBeAbsent:
		return runtimePkg.Dot("Present").Call(from.at)
	case len(p.Fields) == 0:
		return from.at
	case from.mayBeAbsent, from.mayBeNull:
		return w.within(from.at, from.of, p.Fields)
	default:
		return w.follow(from.at, p.Fields)
	}
}

// items are the items of a list: none where there is no list.
func (s scope) items(list *expr.Path) emit.Expr {
	from, ok := s[list.Root]
	if !ok {
		return emit.Bad(fmt.Errorf("%s%s means nothing here", list.Pos(), list.Root))
	}
	if len(list.Fields) == 0 {
		return runtimePkg.Dot("Items").Call(from.at)
	}
	t := emit.Slice(elemType(list.Of.Use.Type.Elem))
	w := walk{result: t, through: "ItemsOf", end: func(x emit.Expr, f *schema.Field) emit.Expr {
		switch holding(f) {
		case holdsPointer:
			return runtimePkg.Dot("Items").Call(x)
		case holdsOptional:
			return runtimePkg.Dot("Items").Call(x.Dot("Pointer").Call())
		default:
			return x
		}
	}}
	if from.mayBeAbsent {
		return w.within(from.at, from.of, list.Fields)
	}
	return w.follow(from.at, list.Fields)
}

// walk goes along the fields of a path.
type walk struct {
	result  emit.Expr // the type of what it leads to
	through string    // the function of the runtime that looks into what may be nil
	end     func(emit.Expr, *schema.Field) emit.Expr
}

// follow walks from x along fields.
func (w walk) follow(x emit.Expr, fields []*schema.Field) emit.Expr {
	field, rest := fields[0], fields[1:]
	x = x.Dot(field.GoName)
	switch {
	case len(rest) == 0:
		return w.end(x, field)
	case holding(field) == holdsPointer:
		return w.within(x, field.Use.Type, rest)
	case holding(field) == holdsOptional:
		return w.within(x.Dot("Pointer").Call(), field.Use.Type, rest)
	default:
		return w.follow(x, rest)
	}
}

// within walks on from a pointer that may be nil; there is nothing behind a nil one.
func (w walk) within(pointer emit.Expr, t *schema.Type, fields []*schema.Field) emit.Expr {
	look := emit.InlineFunc(emit.Signature{
		Params:  []emit.Param{{Name: "v", Type: emit.Pointer(goType(t))}},
		Results: []emit.Expr{w.result},
	}, w.follow(emit.Name("v"), fields))
	return runtimePkg.Dot(w.through).Call(pointer, look)
}
