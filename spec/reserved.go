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
	for _, named := range namings(d.payload, requestID) {
		c.faultsOf(op, diag.List{named.KeyFault(diag.ReservedName, "give it another name, as "+op.Name+"_request",
			"%s is an argument of every preview, which finds the change that an earlier call made", diag.Quote(requestID))})
	}
}

// namings are where a schema of an object describes or requires a property, itself or in what it composes the object of.
func namings(schema *document.Node, name string) []*document.Node {
	var found []*document.Node
	if property := schema.Get("properties").Get(name); property != nil {
		found = append(found, property)
	} else {
		found = slices.DeleteFunc(texts(schema.Get("required")), func(item *document.Node) bool { return item.Text != name })
	}
	for _, part := range composed(schema) {
		found = append(found, namings(part, name)...)
	}
	return found
}

// composed are the schemas within a schema that a value may have to satisfy as well.
func composed(schema *document.Node) []*document.Node {
	parts := slices.Clone(members(schema.Get("dependentSchemas")))
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		parts = append(parts, items(schema.Get(key))...)
	}
	for _, key := range []string{"then", "else"} {
		if part := schema.Get(key); part != nil {
			parts = append(parts, part)
		}
	}
	return parts
}
