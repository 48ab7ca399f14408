package generator

import (
	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// column reads one column into its field.
func column(f *schema.Field) emit.Expr {
	name, field := emit.String(f.Name), emit.Name("s").Dot(f.GoName).Address()
	reader := sqlopPkg.Dot(columnReader(f.Use.Type))
	switch holding(f) {
	case holdsNil:
		return sqlopPkg.Dot(nilColumn(f.Use.Type.Kind)).Call(name, field)
	case holdsOptional:
		return sqlopPkg.Dot("OptionalNullable").Call(name, field, reader)
	case holdsPointer:
		if f.Required {
			return sqlopPkg.Dot("Nullable").Call(name, field, reader)
		}
		return sqlopPkg.Dot("Optional").Call(name, field, reader)
	default:
		return reader.Call(name, field)
	}
}

// columnReader is the function of sqlop that reads a value of a type.
func columnReader(t *schema.Type) string {
	switch t.Kind {
	case schema.String:
		return "Text"
	case schema.Enum:
		if t.Base == schema.Integer {
			return "Integer"
		}
		return "Text"
	case schema.Integer:
		return "Integer"
	case schema.WideInteger:
		return "WideInteger"
	case schema.Number:
		return "Number"
	case schema.Float:
		return "Float"
	case schema.Boolean:
		return "Bool"
	case schema.Raw:
		return "Raw"
	default:
		return "JSON" // what is stored as JSON text
	}
}

// nilColumn is the function of sqlop that reads NULL as what is absent and nil.
func nilColumn(k schema.Kind) string {
	switch k {
	case schema.Raw:
		return "OptionalRaw"
	case schema.Map:
		return "OptionalMap"
	default:
		return "OptionalList"
	}
}
