package emit

import (
	"slices"
	"strconv"

	"github.com/dave/jennifer/jen"
)

// Expr is an expression or a type. The zero Expr is none.
type Expr struct {
	build func(*uses) *jen.Statement
	width int // about how many characters it takes on one line
}

// maxWidth is how wide a composite literal or a call may be before it is broken into lines, in characters. Lines of a
// hook are indented by a dozen more.
const maxWidth = 105

// Bad stands for an expression that cannot be written: rendering its file fails with err.
func Bad(err error) Expr {
	return Expr{build: func(u *uses) *jen.Statement {
		if u.err == nil {
			u.err = err
		}
		return jen.Null()
	}}
}

// Name is an identifier of the file's own package, of a parameter, or a predeclared one.
func Name(name string) Expr {
	return Expr{width: len(name), build: func(*uses) *jen.Statement { return jen.Id(name) }}
}

// Dot is the field or method x.name.
func (x Expr) Dot(name string) Expr {
	return Expr{
		width: x.width + len(".") + len(name),
		build: func(u *uses) *jen.Statement { return x.build(u).Dot(name) },
	}
}

// Call is x(args…), on one line.
func (x Expr) Call(args ...Expr) Expr {
	return Expr{
		width: x.width + len("()") + listWidth(args),
		build: func(u *uses) *jen.Statement { return x.build(u).Call(codes(u, args)...) },
	}
}

// CallFit is x(first…, rest…), with each of rest on a line of its own if one line would be too wide.
func (x Expr) CallFit(first []Expr, rest ...Expr) Expr {
	if whole := x.Call(slices.Concat(first, rest)...); whole.width <= maxWidth {
		return whole
	}
	return x.CallLines(first, rest...)
}

// CallLines is x(first…, rest…) with each of rest on a line of its own.
func (x Expr) CallLines(first []Expr, rest ...Expr) Expr {
	return Expr{build: func(u *uses) *jen.Statement {
		head := jen.List(codes(u, first)...)
		lines := jen.Options{Separator: ",", Multi: true}
		return x.build(u).Op("(").Add(head).Op(",").Custom(lines, codes(u, rest)...).Op(",").Line().Op(")")
	}}
}

// Of is the generic type or function x with its type arguments.
func (x Expr) Of(types ...Expr) Expr {
	return Expr{
		width: x.width + len("[]") + listWidth(types),
		build: func(u *uses) *jen.Statement { return x.build(u).Types(codes(u, types)...) },
	}
}

// Address is &x.
func (x Expr) Address() Expr { return prefixed("&", x) }

// Not is !x.
func (x Expr) Not() Expr { return prefixed("!", x) }

// Is is x == y.
func (x Expr) Is(y Expr) Expr { return infix(x, "==", y) }

// IsNot is x != y.
func (x Expr) IsNot(y Expr) Expr { return infix(x, "!=", y) }

// Or is x || y.
func (x Expr) Or(y Expr) Expr { return infix(x, "||", y) }

// AllOf is x && y && …, of one or more, with each on a line of its own if one line would be too wide.
func AllOf(all ...Expr) Expr { return chain("&&", all) }

// AnyOf is AllOf with ||.
func AnyOf(all ...Expr) Expr { return chain("||", all) }

func chain(operator string, all []Expr) Expr {
	whole := all[0]
	for _, x := range all[1:] {
		whole = infix(whole, operator, x)
	}
	if whole.width <= maxWidth {
		return whole
	}
	return Expr{width: whole.width, build: func(u *uses) *jen.Statement {
		lines := all[0].build(u)
		for _, x := range all[1:] {
			lines.Op(operator).Line().Add(x.build(u))
		}
		return lines
	}}
}

// Grouped is (x).
func (x Expr) Grouped() Expr {
	return Expr{
		width: x.width + len("()"),
		build: func(u *uses) *jen.Statement { return jen.Parens(x.build(u)) },
	}
}

// Deref is *x, what a pointer points to.
func (x Expr) Deref() Expr { return prefixed("*", x) }

// Spread is x…, the last argument of a call.
func (x Expr) Spread() Expr {
	const dots = "..."
	return Expr{width: x.width + len(dots), build: func(u *uses) *jen.Statement { return x.build(u).Op(dots) }}
}

// Pointer is the type *t.
func Pointer(t Expr) Expr { return prefixed("*", t) }

// Slice is the type []t.
func Slice(t Expr) Expr { return prefixed("[]", t) }

// Map is the type map[string]t.
func Map(t Expr) Expr { return prefixed("map[string]", t) }

// Variadic is the type ...t of a last parameter.
func Variadic(t Expr) Expr { return prefixed("...", t) }

// Times is n * unit, or unit alone for one.
func Times(n int64, unit Expr) Expr {
	if n == 1 {
		return unit
	}
	return infix(Name(strconv.FormatInt(n, 10)), "*", unit)
}

// Key is one element of a composite literal: a field with its value, or only a value where Name is "".
type Key struct {
	Name  string
	Value Expr
}

// Literal is the composite literal t{…} on one line, or on two if that would be too wide; if two would be, each key has
// its own. A zero t leaves the type out, as elements of a slice may.
func Literal(t Expr, keys ...Key) Expr {
	const around, oneLine = len("{}"), -1
	second := oneLine // the key that begins the second line
	whole, line := t.width+around, t.width+around
	for i, k := range keys {
		width := len(k.Name) + len(": , ") + k.Value.width
		if i > 0 && line+width > maxWidth {
			if second != oneLine {
				return Lines(t, keys...)
			}
			second, line = i, around
		}
		whole, line = whole+width, line+width
	}
	return Expr{width: whole, build: func(u *uses) *jen.Statement {
		literal := t.orNothing(u).Op("{")
		for i, k := range keys {
			if i > 0 {
				literal.Op(",")
			}
			if i == second {
				literal.Line()
			}
			literal.Add(k.element(u))
		}
		return literal.Op("}")
	}}
}

// Lines is the composite literal t{…} with each key on a line of its own.
func Lines(t Expr, keys ...Key) Expr {
	return Expr{build: func(u *uses) *jen.Statement {
		elements := make([]jen.Code, len(keys))
		for i, k := range keys {
			elements[i] = k.element(u)
		}
		return t.orNothing(u).Custom(jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}, elements...)
	}}
}

func (k Key) element(u *uses) *jen.Statement {
	if k.Name == "" {
		return k.Value.build(u)
	}
	return jen.Id(k.Name).Op(":").Add(k.Value.build(u))
}

// orNothing is the type of a literal, which may be left out.
func (x Expr) orNothing(u *uses) *jen.Statement {
	if x.build == nil {
		return jen.Null()
	}
	return x.build(u)
}

// Signature is what a function takes and gives.
type Signature struct {
	Params  []Param
	Results []Expr
}

// Param is a parameter; either all of a signature have names, or none.
type Param struct {
	Name string
	Type Expr
}

// Func is a function literal.
func Func(s Signature, body ...Stmt) Expr {
	return Expr{build: func(u *uses) *jen.Statement { return jen.Func().Add(s.build(u)).Block(statements(u, body)...) }}
}

// InlineFunc is a function literal that only returns a value. It stands on one line, unless gofmt finds it too wide.
func InlineFunc(s Signature, value Expr) Expr {
	return Expr{
		width: s.width() + len("func { return  }") + value.width,
		build: func(u *uses) *jen.Statement {
			return jen.Func().Add(s.build(u)).Op("{").Return(value.build(u)).Op("}")
		},
	}
}

// FuncFit is a function literal that only returns a value: on one line if that is not too wide.
func FuncFit(s Signature, value Expr) Expr {
	if inline := InlineFunc(s, value); inline.width <= maxWidth {
		return inline
	}
	return Func(s, Return(value))
}

func (s Signature) build(u *uses) *jen.Statement {
	params := make([]jen.Code, len(s.Params))
	for i, p := range s.Params {
		params[i] = jen.Id(p.Name).Add(p.Type.build(u))
		if p.Name == "" {
			params[i] = p.Type.build(u)
		}
	}
	built := jen.Params(params...)
	if len(s.Results) == 1 {
		return built.Add(s.Results[0].build(u))
	}
	if len(s.Results) > 1 {
		built.Params(codes(u, s.Results)...)
	}
	return built
}

func (s Signature) width() int {
	width := len("() ") + listWidth(s.Results)
	for _, p := range s.Params {
		width += len(p.Name) + len(" ") + p.Type.width
	}
	return width
}

func prefixed(operator string, x Expr) Expr {
	return Expr{
		width: len(operator) + x.width,
		build: func(u *uses) *jen.Statement { return jen.Op(operator).Add(x.build(u)) },
	}
}

func infix(x Expr, operator string, y Expr) Expr {
	return Expr{
		width: x.width + len("  ") + len(operator) + y.width,
		build: func(u *uses) *jen.Statement { return x.build(u).Op(operator).Add(y.build(u)) },
	}
}

func codes(u *uses, exprs []Expr) []jen.Code {
	built := make([]jen.Code, len(exprs))
	for i, x := range exprs {
		built[i] = x.build(u)
	}
	return built
}

func listWidth(exprs []Expr) int {
	width := 0
	for _, x := range exprs {
		width += x.width + len(", ")
	}
	return width
}
