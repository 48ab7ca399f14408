package schema

// holds says which schemas are under a keyword.
type holds int

const (
	noSchema holds = iota
	aSchema
	aList
	byName
)

// keyword is what is known of a keyword that is supported.
type keyword struct {
	on      types // the values it has an effect on
	holds   holds
	inPlace bool // its schemas are about the same value
	prose   bool // it says something to people and changes nothing
}

// keywords are those that a schema may have, but for extensions.
var keywords = map[string]keyword{
	"$schema": {on: all, prose: true}, "$comment": {on: all, prose: true},
	"title": {on: all, prose: true}, "description": {on: all, prose: true}, "examples": {on: all, prose: true},
	"deprecated": {on: all, prose: true}, "readOnly": {on: all, prose: true}, "writeOnly": {on: all, prose: true},
	"default": {on: all},

	"$ref": {on: all}, "$defs": {on: all, holds: byName},
	"type": {on: all}, "enum": {on: all}, "const": {on: all},

	"allOf": {on: all, holds: aList, inPlace: true}, "anyOf": {on: all, holds: aList, inPlace: true},
	"oneOf": {on: all, holds: aList, inPlace: true}, "not": {on: all, holds: aSchema, inPlace: true},
	"if": {on: all, holds: aSchema, inPlace: true}, "then": {on: all, holds: aSchema, inPlace: true},
	"else":             {on: all, holds: aSchema, inPlace: true},
	"dependentSchemas": {on: object, holds: byName, inPlace: true}, "dependentRequired": {on: object},

	"properties": {on: object, holds: byName}, "patternProperties": {on: object, holds: byName},
	"additionalProperties": {on: object, holds: aSchema}, "unevaluatedProperties": {on: object, holds: aSchema},
	"propertyNames": {on: object, holds: aSchema},
	"required":      {on: object}, "minProperties": {on: object}, "maxProperties": {on: object},

	"items": {on: array, holds: aSchema}, "prefixItems": {on: array, holds: aList}, "unevaluatedItems": {on: array, holds: aSchema},
	"contains": {on: array, holds: aSchema}, "minContains": {on: array}, "maxContains": {on: array},
	"minItems": {on: array}, "maxItems": {on: array}, "uniqueItems": {on: array},

	"minLength": {on: text}, "maxLength": {on: text}, "pattern": {on: text},
	"contentEncoding": {on: text}, "contentMediaType": {on: text}, "contentSchema": {on: text, holds: aSchema},
	"format": {on: text | number},

	"minimum": {on: number}, "maximum": {on: number}, "exclusiveMinimum": {on: number}, "exclusiveMaximum": {on: number},
	"multipleOf": {on: number},
}

// unsupported are the keywords of JSON Schema, and of dialects of it, that are not supported, with what to write
// instead.
var unsupported = map[string]string{
	"$id":              "leave it out; refer to a schema by #/$defs/NAME",
	"$anchor":          "leave it out; refer to a schema by #/$defs/NAME",
	"$dynamicRef":      "write $ref: '#/$defs/NAME'",
	"$dynamicAnchor":   "leave it out; refer to a schema by #/$defs/NAME",
	"$recursiveRef":    "write $ref: '#/$defs/NAME'",
	"$recursiveAnchor": "leave it out; refer to a schema by #/$defs/NAME",
	"$vocabulary":      "leave it out",
	"definitions":      "write $defs",
	"dependencies":     "write dependentRequired or dependentSchemas",
	"additionalItems":  "write prefixItems, and items for those after them",
	"nullable":         "write type: [T, 'null']",
}

// goType is the extension for the Go type that an author chooses.
const goType = "x-go-type"

// plainString is the Go type of an enum without constants. Its values are the same as those of one that has them.
const plainString = "string"
