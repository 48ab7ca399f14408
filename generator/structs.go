package generator

import (
	"unicode/utf8"

	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// maxComment is the longest description that stands behind its field, in characters; a longer one stands above.
const maxComment = 70

// structType declares an object.
func structType(t *schema.Type, doc string) []emit.Decl {
	fields := make([]emit.Field, len(t.Fields))
	for i, f := range t.Fields {
		fields[i] = commented(emit.Field{Name: f.GoName, Type: fieldType(f), JSON: jsonTag(f)}, noted(f.Doc, f.Use.Type))
	}
	if t.Others != nil {
		fields = append(fields, othersField(t.Others))
	}
	return []emit.Decl{emit.Struct{Doc: []string{doc}, Name: t.GoName, Fields: fields}}
}

// othersField is the field for members that have none of their own. Embed makes them members of the object.
func othersField(others *schema.Use) emit.Field {
	field := emit.Field{Name: schema.OthersGoName, Type: emit.Map(elemType(*others)), JSON: ",embed"}
	return commented(field, noted("Members that have no field of their own.", others.Type))
}

// commented puts a comment behind a field, or above it.
func commented(field emit.Field, comment string) emit.Field {
	if utf8.RuneCountInString(comment) > maxComment {
		field.Doc = []string{comment}
	} else {
		field.Comment = comment
	}
	return field
}

// noted is a description with a note of where the Go type says less than the schema: what is raw JSON, or holds it.
func noted(doc string, t *schema.Type) string {
	what := "Any JSON"
	for t.GoName == "" && (t.Kind == schema.Array || t.Kind == schema.Map) {
		what, t = "Any JSON within", t.Elem.Type
	}
	if t.Kind != schema.Raw || t.Note == "" {
		return doc
	}
	note := ended(what + ": " + t.Note)
	if doc == "" {
		return note
	}
	return ended(doc) + " " + note
}

// jsonTag is the json tag of a field. The names of properties that have a field need no quotes there.
func jsonTag(f *schema.Field) string {
	if f.Required {
		return f.Name
	}
	return f.Name + ",omitzero"
}
