package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// kinds is a set of kinds.
type kinds uint

func of(all ...Kind) kinds {
	var set kinds
	for _, kind := range all {
		set |= 1 << kind
	}
	return set
}

func (s kinds) has(kind Kind) bool { return s&(1<<kind) != 0 }

var (
	ofText    = of(String, Enum)
	ofNumbers = of(Integer, Number)
	ofArrays  = of(Array)
	ofObjects = of(Object)
	ofAll     = of(String, Enum, Integer, Number, Boolean, Array, Object)
)

// applies says on which kinds a supported keyword has an effect.
var applies = map[string]kinds{
	"type": ofAll, "enum": of(Enum),
	"properties": ofObjects, "required": ofObjects, "minProperties": ofObjects, "maxProperties": ofObjects,
	"additionalProperties": ofObjects, "unevaluatedProperties": ofObjects,
	"items": ofArrays, "minItems": ofArrays, "maxItems": ofArrays, "uniqueItems": ofArrays,
	"minLength": ofText, "maxLength": ofText, "pattern": ofText, "contentEncoding": ofText, "contentMediaType": ofText,
	"minimum": ofNumbers, "maximum": ofNumbers, "exclusiveMinimum": ofNumbers, "exclusiveMaximum": ofNumbers, "multipleOf": ofNumbers,
	"format": ofText | ofNumbers,
	"$defs":  ofAll,
}

// annotations say something to people and change nothing; they may stand anywhere.
var annotations = []string{"$comment", "$schema", "title", "description", "default", "examples", "deprecated", "readOnly", "writeOnly", goName, goNames}

// unsupported are the keywords of JSON Schema, and of dialects of it, that are not supported, with what to write
// instead.
var unsupported = map[string]string{
	"oneOf":             "write one type; a choice of types needs one operation for each",
	"allOf":             "write the properties out in one object",
	"not":               "refuse such values in the hand-written body",
	"if":                "check it in the hand-written body",
	"then":              "check it in the hand-written body",
	"else":              "check it in the hand-written body",
	"const":             "write an enum with one value",
	"patternProperties": "write an array of objects with a key and a value",
	"propertyNames":     "name the properties",
	"dependentRequired": "check it in the hand-written body",
	"dependentSchemas":  "check it in the hand-written body",
	"dependencies":      "check it in the hand-written body",
	"prefixItems":       "write an object with a property for each item",
	"unevaluatedItems":  "write items",
	"additionalItems":   "write items",
	"contains":          "check it in the hand-written body",
	"minContains":       "check it in the hand-written body",
	"maxContains":       "check it in the hand-written body",
	"contentSchema":     "write the value as a schema of its own",
	"$id":               "leave it out; refer to #/$defs/NAME",
	"$anchor":           "leave it out; refer to #/$defs/NAME",
	"$dynamicRef":       "write $ref: '#/$defs/NAME'",
	"$dynamicAnchor":    "leave it out; refer to #/$defs/NAME",
	"$recursiveRef":     "write $ref: '#/$defs/NAME'",
	"$recursiveAnchor":  "leave it out; refer to #/$defs/NAME",
	"$vocabulary":       "leave it out",
	"definitions":       "write $defs",
	"nullable":          "write type: [T, 'null']",
	"x-go-type":         "leave it out",
	"x-sensitive":       "leave it out",
}

// known are all the keywords that a schema may hold, for suggestions.
var known = slices.Sorted(func(yield func(string) bool) {
	for _, all := range [][]string{slices.Collect(maps.Keys(applies)), annotations, {"$ref", "anyOf"}} {
		for _, keyword := range all {
			if !yield(keyword) {
				return
			}
		}
	}
})

// checkKeywords reports the keywords of a schema that are not supported at all.
func (r *reading) checkKeywords(node *document.Node) {
	for _, child := range node.Children {
		if slices.Contains(known, child.Key) {
			continue
		}
		if instead, ok := unsupported[child.Key]; ok {
			r.fault(child.KeyFault(diag.UnsupportedKeyword, instead, "%s is not supported", diag.Quote(child.Key)))
			continue
		}
		if strings.HasPrefix(child.Key, "x-") {
			r.fault(child.KeyFault(diag.UnsupportedKeyword, "leave it out", "extension %s is not supported", diag.Quote(child.Key)))
			continue
		}
		r.fault(child.KeyFault(diag.UnknownKeyword, diag.DidYouMean(child.Key, known), "unknown keyword %s", diag.Quote(child.Key)))
	}
}

// checkEffect reports the keywords that say nothing about values of a kind.
func (r *reading) checkEffect(node *document.Node, kind Kind) {
	for _, child := range node.Children {
		if set, ok := applies[child.Key]; ok && !set.has(kind) {
			r.fault(child.KeyFault(diag.NoEffect, "leave it out, or change the type", "%s has no effect on %s", diag.Quote(child.Key), kind))
		}
	}
}

// checkBeside reports what stands beside a keyword that must stand alone, but for annotations.
func (r *reading) checkBeside(node *document.Node, keyword string) {
	for _, child := range node.Children {
		if _, ok := applies[child.Key]; ok && child.Key != "$defs" || child.Key == "$ref" && keyword != "$ref" {
			r.fault(child.KeyFault(diag.UnsupportedKeyword, "put it into the schema that "+keyword+" names",
				"%s beside %s is not supported", diag.Quote(child.Key), keyword))
		}
	}
}
