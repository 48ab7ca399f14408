package generator

import (
	"github.com/changesetgen/changesetgen/generator/emit"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// holder is how a field holds what may be absent or null.
type holder int

const (
	holdsValue    holder = iota // there is always a value; that of raw JSON may be null
	holdsNil                    // a nil list, map or raw JSON is absent
	holdsPointer                // a nil pointer is absent, or it is null
	holdsOptional               // a runtime.Optional, which is absent, null, or a value
)

// holding says how a field holds what may be absent or null.
func holding(f *schema.Field) holder {
	kind := f.Use.Type.Kind
	switch {
	case f.Required && (!f.Use.Nullable || kind == schema.Raw):
		return holdsValue
	case kind == schema.Raw:
		return holdsNil
	case f.Required:
		return holdsPointer
	case f.Use.Nullable:
		return holdsOptional
	case kind == schema.Array, kind == schema.Map:
		return holdsNil
	default:
		return holdsPointer
	}
}

// fieldType is the Go type of a field.
func fieldType(f *schema.Field) emit.Expr {
	t := goType(f.Use.Type)
	switch holding(f) {
	case holdsPointer:
		return emit.Pointer(t)
	case holdsOptional:
		return runtimePkg.Dot("Optional").Of(t)
	default:
		return t
	}
}

// elemType is the Go type of what a list or a map holds.
func elemType(u schema.Use) emit.Expr {
	if isPointer(u) {
		return emit.Pointer(goType(u.Type))
	}
	return goType(u.Type)
}

// isPointer tells whether what a list or a map holds is a pointer, which is nil where it is null.
func isPointer(u schema.Use) bool { return u.Nullable && u.Type.Kind != schema.Raw }

// goType is a type where it is used.
func goType(t *schema.Type) emit.Expr {
	if t.GoName != "" {
		return emit.Name(t.GoName)
	}
	return literalType(t)
}

// literalType is a type that has no name of its own, or that its name stands for.
func literalType(t *schema.Type) emit.Expr {
	switch t.Kind {
	case schema.Map:
		return emit.Map(elemType(t.Elem))
	case schema.Array:
		return emit.Slice(elemType(t.Elem))
	case schema.String:
		if t.DateTime {
			return runtimePkg.Dot("DateTime")
		}
		return emit.Name("string")
	case schema.Integer:
		return emit.Name("int64")
	case schema.WideInteger, schema.Number:
		return jsonPkg.Dot("Number")
	case schema.Float:
		return emit.Name("float64")
	case schema.Boolean:
		return emit.Name("bool")
	default:
		return jsonPkg.Dot("RawMessage")
	}
}
