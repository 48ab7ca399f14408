package emit

import "github.com/dave/jennifer/jen"

// Stmt is a statement.
type Stmt struct {
	build func(*uses) *jen.Statement
}

// Return returns values.
func Return(values ...Expr) Stmt {
	return Stmt{func(u *uses) *jen.Statement { return jen.Return(codes(u, values)...) }}
}

// If runs body when condition holds.
func If(condition Expr, body ...Stmt) Stmt {
	return Stmt{func(u *uses) *jen.Statement {
		return jen.If(condition.build(u)).Block(statements(u, body)...)
	}}
}

// Declare is var name t.
func Declare(name string, t Expr) Stmt {
	return Stmt{func(u *uses) *jen.Statement { return jen.Var().Id(name).Add(t.build(u)) }}
}

// Define is names := value.
func Define(value Expr, names ...string) Stmt {
	return Stmt{func(u *uses) *jen.Statement {
		left := make([]jen.Code, len(names))
		for i, name := range names {
			left[i] = jen.Id(name)
		}
		return jen.List(left...).Op(":=").Add(value.build(u))
	}}
}

// Assign is to = value.
func Assign(to, value Expr) Stmt {
	return Stmt{func(u *uses) *jen.Statement { return to.build(u).Op("=").Add(value.build(u)) }}
}

// ForEach runs body for each item of a list, which it sees under a name; under none if that is "".
func ForEach(name string, list Expr, body ...Stmt) Stmt {
	return Stmt{func(u *uses) *jen.Statement {
		items := jen.Range().Add(list.build(u))
		if name != "" {
			items = jen.List(jen.Id("_"), jen.Id(name)).Op(":=").Add(items)
		}
		return jen.For(items).Block(statements(u, body)...)
	}}
}

func statements(u *uses, body []Stmt) []jen.Code {
	built := make([]jen.Code, len(body))
	for i, s := range body {
		built[i] = s.build(u)
	}
	return built
}
