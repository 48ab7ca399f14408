package generator

import (
	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// enumTypes declares enums, each with its doc comment, and in one block a constant for each of their values.
func enumTypes(enums []*schema.Type, doc func(*schema.Type) string) []emit.Decl {
	var decls []emit.Decl
	var consts emit.Consts
	for _, t := range enums {
		base, literal := "string", emit.String
		if t.Base == schema.Integer {
			base, literal = "int64", emit.Name
		}
		decls = append(decls, emit.Type{Doc: []string{doc(t)}, Name: t.GoName, Of: emit.Name(base)})
		values := make([]emit.Const, len(t.Values))
		for i, v := range t.Values {
			values[i] = emit.Const{Name: v.GoName, Type: emit.Name(t.GoName), Value: literal(v.Text)}
		}
		consts.Groups = append(consts.Groups, values)
	}
	return append(decls, consts)
}
