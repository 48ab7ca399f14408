package generator

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// maxComment is the longest description that stands behind its field, in characters; a longer one stands above.
const maxComment = 70

// namedTypes declares types: what gives the sentence of a type's doc comment, without its end.
func namedTypes(types []*schema.Type, what func(*schema.Type) string) []emit.Decl {
	var decls []emit.Decl
	for _, t := range types {
		doc := []string{quoting(t.GoName+" is "+what(t), t.Doc)}
		switch t.Kind {
		case schema.Object:
			decls = append(decls, emit.Struct{Doc: doc, Name: t.GoName, Fields: structFields(t)})
		case schema.Enum:
			decls = append(decls, emit.Type{Doc: doc, Name: t.GoName, Of: emit.Name("string")}, enumValues(t))
		case schema.Array:
			decls = append(decls, emit.Type{Doc: doc, Name: t.GoName, Of: goType(t, unnamed)})
		}
	}
	return decls
}

// pathIn says where a type is declared: payload.key of set_setting.
func pathIn(t *schema.Type, owner string) string { return t.Path + " of " + owner }

// structFields are the fields of an object, with its descriptions as comments.
func structFields(t *schema.Type) []emit.Field {
	fields := make([]emit.Field, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = emit.Field{Name: f.GoName, Type: fieldType(f), JSON: jsonTag(f)}
		if utf8.RuneCountInString(f.Doc) > maxComment {
			fields[i].Doc = []string{f.Doc}
		} else {
			fields[i].Comment = f.Doc
		}
	}
	return fields
}

// enumValues are the constants of an enum.
func enumValues(t *schema.Type) emit.Decl {
	consts := emit.Consts{Doc: []string{"The values of " + t.GoName + "."}}
	for _, v := range t.Values {
		consts.Values = append(consts.Values, emit.Const{
			Name: v.GoName, Type: emit.Name(t.GoName), Value: emit.String(v.Text),
		})
	}
	return consts
}

// fieldType is the Go type of a field. An absent list is nil; anything else that may be absent or null is a pointer.
func fieldType(f *schema.Field) emit.Expr {
	if isPointer(f) {
		return emit.Pointer(goType(f.Use.Type, named))
	}
	return goType(f.Use.Type, named)
}

// isPointer says whether the Go type of a field is a pointer to its value.
func isPointer(f *schema.Field) bool {
	return f.Use.Nullable || !f.Required && f.Use.Type.Kind != schema.Array
}

// The two ways to write the type of a list that has a name.
const (
	named   = true
	unnamed = false
)

// goType is a type where it is used; byName writes the name of a list that has one.
func goType(t *schema.Type, byName bool) emit.Expr {
	switch t.Kind {
	case schema.Integer:
		return emit.Name("int64")
	case schema.Number:
		return jsonPkg.Dot("Number")
	case schema.Boolean:
		return emit.Name("bool")
	case schema.String:
		return emit.Name("string")
	case schema.Array:
		if byName && t.GoName != "" {
			return emit.Name(t.GoName)
		}
		if t.Elem.Nullable {
			return emit.Slice(emit.Pointer(goType(t.Elem.Type, named)))
		}
		return emit.Slice(goType(t.Elem.Type, named))
	default:
		return emit.Name(t.GoName)
	}
}

// jsonTag is the json tag of a field. The names of properties need no quotes there.
func jsonTag(f *schema.Field) string {
	if f.Required {
		return f.Name
	}
	return f.Name + ",omitzero"
}

// quoting ends a sentence of ours with the first thing that the spec says, if it says something.
func quoting(sentence string, said ...string) string {
	for _, s := range said {
		if s = strings.TrimSpace(s); s != "" {
			sentence += ": " + s
			break
		}
	}
	if last, _ := utf8.DecodeLastRuneInString(sentence); unicode.IsPunct(last) && last != '_' {
		return sentence
	}
	return sentence + "."
}
