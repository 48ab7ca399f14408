// Package schema reads the JSON Schemas of a spec into Go-typed models.
package schema

import "github.com/changesetgen/changesetgen/spec/diag"

// Kind is the shape of a Type.
type Kind int

// The kinds of types that a schema may describe.
const (
	Invalid Kind = iota
	Object       // a struct; Fields
	Array        // a slice; Elem
	String
	Integer // int64
	Number  // json.Number
	Boolean
	Enum // a named string type; Values
)

// Type is one type of the generated code. Object and Enum types are named.
type Type struct {
	Kind   Kind
	GoName string // of an Object, an Enum or a listed state, unique in the package; "" otherwise
	Path   string // of a named type, where it is declared: payload, payload.items[].unit, state.owner, $defs.Money
	Doc    string // the description, one line or more; "" if there is none
	Fields []*Field
	Elem   Use
	Values []Value
	Pos    diag.Pos
}

// Use is a type where it is used.
type Use struct {
	Type     *Type
	Nullable bool // null is a value here
}

// Field is a property of an Object, in the order of the schema.
type Field struct {
	Name     string // as in JSON
	GoName   string
	Doc      string
	Use      Use
	Required bool
	Pos      diag.Pos
}

// Value is one value of an Enum.
type Value struct {
	Text   string
	GoName string // of its constant, unique in the package
}
