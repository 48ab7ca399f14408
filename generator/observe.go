package generator

import (
	"strings"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// resourceDecls declares the state of a resource and how it is read.
func resourceDecls(r *resource) []emit.Decl {
	decls := namedTypes(r.Types, func(t *schema.Type) string {
		if t == r.State {
			return "the observed state of " + r.Name
		}
		return pathIn(t, r.Name)
	})
	if r.columns != "" {
		decls = append(decls, columnsFunction(r))
	}
	if r.observe != "" {
		doc := r.observe + " looks at " + r.Name + "; nil means that there is none."
		decls = append(decls, queryFunction(r, r.observe, doc, r.Observe.SQL))
	}
	if r.queriesAfter() {
		doc := r.after + " looks at " + r.Name + " after apply; nil means that there is none."
		decls = append(decls, queryFunction(r, r.after, doc, r.After.SQL))
	}
	return decls
}

// columnsFunction says which column of a query goes where in a state, or in one item of a listed one.
func columnsFunction(r *resource) emit.Decl {
	row := r.State
	if r.Many {
		row = r.State.Elem.Type
	}
	columns := make([]emit.Key, len(row.Fields))
	for i, f := range row.Fields {
		columns[i] = emit.Key{Value: column(f)}
	}
	list := emit.Slice(sqlopPkg.Dot("Column"))
	return emit.Function{
		Doc:  []string{r.columns + " are the columns of a query for " + r.row + "."},
		Name: r.columns,
		Signature: emit.Signature{
			Params:  []emit.Param{{Name: "s", Type: emit.Pointer(emit.Name(r.row))}},
			Results: []emit.Expr{list},
		},
		Body: []emit.Stmt{emit.Return(emit.Lines(list, columns...))},
	}
}

// column reads one column into its field.
func column(f *schema.Field) emit.Expr {
	name, field := emit.String(f.Name), emit.Name("s").Dot(f.GoName).Address()
	reader := sqlopPkg.Dot(columnReader(f.Use.Type.Kind))
	switch {
	case f.Use.Nullable:
		return sqlopPkg.Dot("Nullable").Call(name, field, reader)
	case f.Required:
		return reader.Call(name, field)
	case isPointer(f):
		return sqlopPkg.Dot("Optional").Call(name, field, reader)
	default:
		return sqlopPkg.Dot("OptionalList").Call(name, field)
	}
}

// columnReader is the function of sqlop that reads a value of a kind.
func columnReader(k schema.Kind) string {
	switch k {
	case schema.String, schema.Enum:
		return "Text"
	case schema.Integer:
		return "Integer"
	case schema.Number:
		return "Number"
	case schema.Boolean:
		return "Bool"
	default:
		return "JSON" // arrays and objects, stored as JSON text
	}
}

// queryFunction runs one query for a resource.
func queryFunction(r *resource, name, doc, sql string) emit.Decl {
	state := emit.Pointer(emit.Name(r.state))
	body := queryOne
	if r.Many {
		body = queryList
	}
	return emit.Function{
		Doc:  []string{doc},
		Name: name,
		Signature: emit.Signature{
			Params: []emit.Param{
				ctxParam,
				{Name: "db", Type: emit.Pointer(sqlPkg.Dot("DB"))},
				{Name: "args", Type: emit.Variadic(anyType)},
			},
			Results: []emit.Expr{state, errorType},
		},
		Body: body(r, queryText(sql)),
	}
}

// queryOne reads one row into a state.
func queryOne(r *resource, query emit.Expr) []emit.Stmt {
	s, err := emit.Name("s"), emit.Name("err")
	columns := emit.Name(r.columns).Call(s.Address()).Spread()
	return []emit.Stmt{
		emit.Declare("s", emit.Name(r.state)),
		emit.Define(sqlopPkg.Dot("One").Call(ctxValue, emit.Name("db"), query, emit.Name("args"), columns), "found", "err"),
		emit.If(err.IsNot(nilValue).Or(emit.Name("found").Not()), emit.Return(nilValue, err)),
		emit.Return(s.Address(), nilValue),
	}
}

// queryList reads all rows into a listed state.
func queryList(r *resource, query emit.Expr) []emit.Stmt {
	s, rows, err := emit.Name("s"), emit.Name("rows"), emit.Name("err")
	return []emit.Stmt{
		emit.Define(sqlopPkg.Dot("List").Call(ctxValue, emit.Name("db"), query, emit.Name("args"), emit.Name(r.columns)), "rows", "err"),
		emit.If(err.IsNot(nilValue).Or(rows.Is(nilValue)), emit.Return(nilValue, err)),
		emit.Define(emit.Name(r.state).Call(rows), "s"),
		emit.Return(s.Address(), nilValue),
	}
}

// queryText is a query as a literal: one of several lines begins and ends on lines of its own.
func queryText(sql string) emit.Expr {
	sql = strings.TrimSpace(sql)
	if strings.Contains(sql, "\n") {
		sql = "\n" + sql + "\n"
	}
	return emit.Raw(sql)
}
