package emit

import "github.com/dave/jennifer/jen"

// Decl is a declaration of a file. Doc, in each of them, holds the paragraphs of its doc comment.
type Decl interface {
	build(*uses) *jen.Statement
}

// Struct declares a struct type.
type Struct struct {
	Doc    []string
	Name   string
	Fields []Field
}

// Field is a field of a Struct.
type Field struct {
	Doc     []string // above it
	Name    string
	Type    Expr
	JSON    string // value of its json tag; "" for no tag
	Comment string // behind it; "" for none
}

func (d Struct) build(u *uses) *jen.Statement {
	var lines []jen.Code
	for _, f := range d.Fields {
		lines = append(lines, comments(f.Doc)...)
		line := jen.Id(f.Name).Add(f.Type.build(u))
		if f.JSON != "" {
			line.Op(tag("json", f.JSON))
		}
		if f.Comment != "" {
			line.Comment(lineComment(f.Comment))
		}
		lines = append(lines, line)
	}
	return documented(d.Doc, jen.Type().Id(d.Name).Struct(lines...))
}

// Type declares a defined type.
type Type struct {
	Doc  []string
	Name string
	Of   Expr
}

func (d Type) build(u *uses) *jen.Statement {
	return documented(d.Doc, jen.Type().Id(d.Name).Add(d.Of.build(u)))
}

// Aliases declares type aliases, in a group if there are several.
type Aliases []Type

func (d Aliases) build(u *uses) *jen.Statement {
	if len(d) == 1 {
		return documented(d[0].Doc, jen.Type().Id(d[0].Name).Op("=").Add(d[0].Of.build(u)))
	}
	var lines []jen.Code
	for _, a := range d {
		lines = append(lines, comments(a.Doc)...)
		lines = append(lines, jen.Id(a.Name).Op("=").Add(a.Of.build(u)))
	}
	return jen.Type().Custom(jen.Options{Open: "(", Close: ")", Multi: true}, lines...)
}

// Consts declares constants in one block, in groups with a blank line between them. One alone needs no block.
type Consts struct {
	Doc    []string
	Groups [][]Const
}

// Const declares one constant, of the type of its value unless Type is given.
type Const struct {
	Doc   []string
	Name  string
	Type  Expr
	Value Expr
}

func (d Consts) build(u *uses) *jen.Statement {
	if len(d.Groups) == 1 && len(d.Groups[0]) == 1 {
		return documented(d.Doc, jen.Const().Add(d.Groups[0][0].line(u)))
	}
	var lines []jen.Code
	for i, group := range d.Groups {
		if i > 0 {
			lines = append(lines, jen.Empty())
		}
		for _, c := range group {
			lines = append(lines, c.line(u))
		}
	}
	return documented(d.Doc, jen.Const().Custom(jen.Options{Open: "(", Close: ")", Multi: true}, lines...))
}

func (d Const) build(u *uses) *jen.Statement {
	return documented(d.Doc, jen.Const().Add(d.line(u)))
}

func (d Const) line(u *uses) *jen.Statement {
	line := jen.Id(d.Name)
	if d.Type.build != nil {
		line.Add(d.Type.build(u))
	}
	return line.Op("=").Add(d.Value.build(u))
}

// Interface declares an interface, its methods in groups with a blank line between them.
type Interface struct {
	Doc    []string
	Name   string
	Groups [][]Method
}

// Method is a method of an Interface.
type Method struct {
	Doc  []string
	Name string
	Signature
}

func (d Interface) build(u *uses) *jen.Statement {
	var lines []jen.Code
	for i, group := range d.Groups {
		if i > 0 {
			lines = append(lines, jen.Empty())
		}
		for _, m := range group {
			lines = append(lines, comments(m.Doc)...)
			lines = append(lines, jen.Id(m.Name).Add(m.Signature.build(u)))
		}
	}
	return documented(d.Doc, jen.Type().Id(d.Name).Interface(lines...))
}

// Var declares a variable: with a value, or with a type and nothing else.
type Var struct {
	Doc   []string
	Embed string // name of a file beside this one that the variable holds; "" for none
	Name  string
	Type  Expr
	Value Expr
}

func (d Var) build(u *uses) *jen.Statement {
	declared := jen.Var().Id(d.Name)
	if d.Type.build != nil {
		declared.Add(d.Type.build(u))
	}
	if d.Value.build != nil {
		declared.Op("=").Add(d.Value.build(u))
	}
	if d.Embed != "" {
		declared = jen.Comment("//go:embed " + d.Embed).Line().Add(declared)
	}
	return documented(d.Doc, declared)
}

// Function declares a function, or a method if it has a receiver.
type Function struct {
	Doc      []string
	Receiver Param
	Name     string
	Signature
	Body []Stmt
}

func (d Function) build(u *uses) *jen.Statement {
	declared := jen.Func()
	if d.Receiver.Name != "" {
		declared.Params(jen.Id(d.Receiver.Name).Add(d.Receiver.Type.build(u)))
	}
	declared.Id(d.Name).Add(d.Signature.build(u))
	return documented(d.Doc, declared.Block(statements(u, d.Body)...))
}

// documented puts the comment of doc above a declaration.
func documented(doc []string, declared *jen.Statement) *jen.Statement {
	built := jen.Null()
	for _, line := range comments(doc) {
		built.Add(line).Line()
	}
	return built.Add(declared)
}

func comments(doc []string) []jen.Code {
	var lines []jen.Code
	for _, line := range docLines(doc) {
		lines = append(lines, jen.Comment(line))
	}
	return lines
}
