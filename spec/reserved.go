package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// requestID is the argument of every preview by which a call that is made again finds the change of the first.
const requestID = "request_id"

// checkReserved reports properties of the payload that could not be given, because a preview takes them for its own.
func (c *checker) checkReserved(d *declaredOperation, op *Operation) {
	for _, property := range topProperties(d.payload, requestID) {
		c.faultsOf(op, diag.List{property.KeyFault(diag.ReservedName, "give it another name, as "+op.Name+"_request",
			"%s is an argument of every preview, which finds the change that an earlier call made", diag.Quote(requestID))})
	}
}

// topProperties are the properties of a name at the top of a schema, and of what is said about the same object within it.
func topProperties(schema *document.Node, name string) []*document.Node {
	var found []*document.Node
	if property := schema.Get("properties").Get(name); property != nil {
		found = append(found, property)
	}
	for _, part := range sameObject(schema) {
		found = append(found, topProperties(part, name)...)
	}
	return found
}

// sameObject are the schemas within a schema that are about the same value.
func sameObject(schema *document.Node) []*document.Node {
	var parts []*document.Node
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts = append(parts, items(schema.Get(key))...)
	}
	parts = append(parts, members(schema.Get("dependentSchemas"))...)
	for _, key := range []string{"if", "then", "else", "not"} {
		parts = append(parts, schema.Get(key))
	}
	return slices.DeleteFunc(parts, func(part *document.Node) bool { return part == nil })
}
