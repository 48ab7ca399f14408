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
	columns := make([]emit.Key, len(r.row.Fields))
	for i, f := range r.row.Fields {
		columns[i] = emit.Key{Value: column(f)}
	}
	list := emit.Slice(sqlopPkg.Dot("Column"))
	return emit.Function{
		Doc:  []string{r.columns + " are the columns of a query for " + r.row.GoName + "."},
		Name: r.columns,
		Signature: emit.Signature{
			Params:  []emit.Param{{Name: "s", Type: emit.Pointer(goType(r.row))}},
			Results: []emit.Expr{list},
		},
		Body: []emit.Stmt{emit.Return(emit.Lines(list, columns...))},
	}
}

// queryFunction runs one query for a resource.
func queryFunction(r *resource, name, doc, sql string) emit.Decl {
	state := pointerTo(r.State)
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
		emit.Declare("s", goType(r.State)),
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
		emit.Define(goType(r.State).Call(rows), "s"),
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
