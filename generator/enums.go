package generator

import (
	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// enumType declares an enum and a constant for each of its values.
func enumType(t *schema.Type, doc string) []emit.Decl {
	base, literal := "string", emit.String
	if t.Base == schema.Integer {
		base, literal = "int64", emit.Name
	}
	consts := emit.Consts{Doc: []string{"The values of " + t.GoName + "."}}
	if len(t.Values) == 1 {
		consts.Doc = []string{"The only value of " + t.GoName + "."}
	}
	for _, v := range t.Values {
		consts.Values = append(consts.Values, emit.Const{
			Name: v.GoName, Type: emit.Name(t.GoName), Value: literal(v.Text),
		})
	}
	return []emit.Decl{emit.Type{Doc: []string{doc}, Name: t.GoName, Of: emit.Name(base)}, consts}
}
