package generator

import (
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// place is where a path leads in the generated code.
type place struct {
	name   string        // of the path: payload.a.b
	within []guard       // what must hold for there to be something that holds the value
	at     emit.Expr     // the root, or the field that holds the value as holding says
	field  *schema.Field // nil for a root alone
}

// guard is a pointer that must not be nil.
type guard struct {
	name  string // of the path to it: two of one name are one
	holds emit.Expr
}

// guarded is what holds once each of the guards does, asked for once, in their order.
func guarded(guards []guard, what emit.Expr) emit.Expr {
	seen := map[string]bool{}
	var all []emit.Expr
	for _, g := range guards {
		if !seen[g.name] {
			seen[g.name], all = true, append(all, g.holds)
		}
	}
	return emit.AllOf(append(all, what)...)
}

// place walks a path along pointers that may be nil.
func (s scope) place(p *expr.Path) place {
	from, ok := s[p.Root]
	if !ok {
		return place{at: emit.Bad(fmt.Errorf("%s%s means nothing here", p.Pos(), p.Root))}
	}
	found := place{name: string(p.Root), at: from.at}
	if from.mayBeAbsent && len(p.Fields) > 0 {
		found.within = append(found.within, guard{found.name, from.at.IsNot(nilValue)})
	}
	for i, field := range p.Fields {
		if i > 0 {
			found.within, found.at = append(found.within, found.present()...), found.pointer()
		}
		found.name, found.at, found.field = found.name+"."+field.Name, found.at.Dot(field.GoName), field
	}
	return found
}

// pointer is the pointer that holds the value of a place, or the value itself.
func (p place) pointer() emit.Expr {
	if p.field != nil && holding(p.field) == holdsOptional {
		return p.at.Dot("Pointer").Call()
	}
	return p.at
}

// present is what must hold for there to be a value, once there is something that holds it.
func (p place) present() []guard {
	if p.field == nil || holding(p.field) == holdsValue {
		return nil
	}
	return []guard{{p.name, p.pointer().IsNot(nilValue)}}
}

// value is the value of a place that has one.
func (p place) value() emit.Expr {
	if h := holding(p.field); h == holdsPointer || h == holdsOptional {
		return p.pointer().Deref()
	}
	return p.at
}

// isNull tells of a value that may be null that it is, and not that it is absent.
func (p place) isNull() emit.Expr {
	if holding(p.field) == holdsOptional {
		return p.at.Dot("IsNull").Call()
	}
	return p.at.Is(nilValue)
}

// condition is a condition as Go. Each value is asked for only where it is known to be there.
func (s scope) condition(c *expr.Condition) emit.Expr {
	left := s.place(c.Left)
	switch right := c.Right.(type) {
	case *expr.Constant:
		if right.Kind == expr.NullConstant {
			return guarded(left.within, left.pointer().Is(nilValue))
		}
		return guarded(append(left.within, left.present()...), equalsConstant(left, right))
	case *expr.Path:
		return s.equalPaths(left, s.place(right))
	default:
		return emit.Bad(fmt.Errorf("%sthere is no Go for an operand of type %T", c.Pos(), c.Right))
	}
}

// equalPaths tells whether both places have a value and it is the same, or both are null.
func (s scope) equalPaths(left, right place) emit.Expr {
	within := slices.Concat(left.within, right.within)
	present := slices.Concat(left.present(), right.present())
	same := equalValues(left, right)
	if !left.field.Use.Nullable || !right.field.Use.Nullable {
		return guarded(append(within, present...), same)
	}
	either := emit.AnyOf(emit.AllOf(left.isNull(), right.isNull()), guarded(present, same))
	if len(within) > 0 {
		either = either.Grouped()
	}
	return guarded(within, either)
}

// equalValues compares two values of one family: texts as texts, and numbers by all of their digits.
func equalValues(left, right place) emit.Expr {
	l, r := left.field.Use.Type, right.field.Use.Type
	x, y := left.value(), right.value()
	switch base := baseOf(l); {
	case l == r && l.Kind == schema.Enum, base == baseOf(r) && base == schema.Boolean:
		return x.Is(y)
	case base == schema.String:
		return plainly("string", l, x).Is(plainly("string", r, y))
	case base == schema.Integer && baseOf(r) == schema.Integer:
		return plainly("int64", l, x).Is(plainly("int64", r, y))
	default:
		return runtimePkg.Dot("SameNumber").Call(plainly("int64", l, x), plainly("int64", r, y))
	}
}

// baseOf is the kind of the values of a type, which is that of its own kind but for an enum.
func baseOf(t *schema.Type) schema.Kind {
	if t.Kind == schema.Enum {
		return t.Base
	}
	return t.Kind
}

// plainly is the value of an enum as the type that it is made of, and any other value as it is.
func plainly(base string, t *schema.Type, x emit.Expr) emit.Expr {
	if t.Kind == schema.Enum {
		return emit.Name(base).Call(x)
	}
	return x
}

// equalsConstant compares a value with one that stands in the spec.
func equalsConstant(left place, literal *expr.Constant) emit.Expr {
	t, x := left.field.Use.Type, left.value()
	switch {
	case t.Kind == schema.Enum:
		named := slices.IndexFunc(t.Values, func(v schema.Value) bool { return v.Text == literal.Text })
		return x.Is(emit.Name(t.Values[named].GoName)) // checked to be one of them
	case t.Kind == schema.Boolean && literal.Text == "true":
		return x
	case t.Kind == schema.Boolean:
		return x.Not()
	case t.Kind == schema.String:
		return x.Is(emit.String(literal.Text))
	case t.Kind == schema.Integer:
		return x.Is(emit.Name(literal.Text))
	default:
		return runtimePkg.Dot("SameNumber").Call(x, jsonPkg.Dot("Number").Call(emit.String(literal.Text)))
	}
}
