// Package schema reads the JSON Schemas of a spec into Go-typed models.
package schema

import (
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// Kind is the shape of a Type.
type Kind int

// The kinds of types that a schema may describe. Each holds every value that the schema accepts, exactly; where no
// narrower one does, it is Raw.
const (
	Invalid     Kind = iota
	Object           // a struct; Fields, Others
	Map              // a map from strings; Elem
	Array            // a slice; Elem
	String           // string, or runtime.DateTime with DateTime
	Integer          // int64
	WideInteger      // json.Number: an integer that may be beyond 64 bits
	Number           // json.Number
	Float            // float64, which the author asked for
	Boolean
	Enum  // a named type of Base; Values
	Union // a struct with a pointer for each of Branches, one of which is set; Tag
	Raw   // json.RawMessage; Note
)

// Type is one type of the generated code. Object, Enum and Union types are named, and so are an Array or a Map that
// contains itself.
type Type struct {
	Kind     Kind
	Words    []Word // of a named type: what its Go name is made of, outermost first; nil otherwise
	GoName   string // of a named type once [Name] has been called, unique in the package; "" otherwise
	Path     string // of a named type, where it is declared: payload, payload.items[].unit, payload.labels{}, $defs.Money
	Doc      string // the description, one line or more; "" if there is none
	Note     string // of Raw: why there is no narrower type, for the author
	Fields   []*Field
	Others   *Use // of an Object: the members that have no field; nil if there can be none
	Elem     Use
	Base     Kind // of an Enum: String or Integer
	Values   []Value
	Tag      string // of a Union: the property that tells its branches apart
	Branches []*Branch
	DateTime bool // of a String: its format is date-time
	Mixed    bool // of an Array: some of its items are sensitive and others are not, by where they stand in it
	Pos      diag.Pos

	at     *document.Node // the schema that declares it
	closed bool           // an Object without Others only because objects that say nothing of them are closed
}

// OthersGoName is the field of a struct for the members that have no field of their own.
const OthersGoName = "AdditionalProperties"

// Use is a type where it is used.
type Use struct {
	Type     *Type
	Nullable bool // null is a value here; never said of Raw, which holds it anyway
	// Sensitive says that the value is marked as one that is never shown, or of Raw that something in it is. See
	// [Use.IsSensitive].
	Sensitive bool
}

// Field is a property of an Object, in the order of the schema.
type Field struct {
	Name     string // as in JSON
	Word     Word   // what its Go name is made of
	GoName   string // once [Name] has been called
	Doc      string
	Use      Use
	Required bool // it is always there: required, or filled in by a default
	Pos      diag.Pos

	at     *document.Node // the property
	filled bool           // it is there because of its default alone
}

// Branch is one of the types of a Union.
type Branch struct {
	Value  string // of the property that tells it from the others
	Word   Word   // what its field is named after
	GoName string // of its field once [Name] has been called
	Use    Use    // an Object, never nullable
	Pos    diag.Pos

	at *document.Node // the schema of the branch
}

// Value is one value of an Enum.
type Value struct {
	Text   string // of a string, or of an integer in plain digits
	Word   Word   // what follows the name of the type in that of its constant
	GoName string // of its constant once [Name] has been called, unique in the package
	Pos    diag.Pos

	at *document.Node // the value
}

// NeedsName tells whether the type is declared under a name of its own.
func (t *Type) NeedsName() bool { return len(t.Words) > 0 }

// Where is the key path of the schema that declares a named type.
func (t *Type) Where() string { return t.at.Where() }
