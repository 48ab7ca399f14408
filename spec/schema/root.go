package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// readRoot reads the schema at the root, which must be of a shape.
func (r *reading) readRoot() *Type {
	invalid := new(Type)
	if ref := r.root.node.Get("$ref"); ref != nil {
		r.reader.fault(ref.KeyFault(diag.RootShape, "write the schema out here", "$ref is not supported at the root of a schema"))
		return invalid
	}
	found := *r.root.shape()
	if found.kind == Invalid {
		return invalid
	}
	if found.kind == Map { // the root is a struct in any case
		found.kind = Object
	}
	if found.core != r.root || found.nullable || !r.hasShape(&found) {
		r.faultShape(&found)
		return invalid
	}
	t := r.build(&found)
	if r.options.Shape == ListOfObjects && !t.NeedsName() {
		r.declare(r.root)
		r.named = slices.Insert(r.named[:len(r.named)-1], 0, t)
	}
	return t
}

func (r *reading) hasShape(found *shape) bool {
	if r.options.Shape == OneObject {
		return found.kind == Object
	}
	if found.kind != Array {
		return false
	}
	items := r.root.one("items", "")
	if items == nil || r.root.has("prefixItems") {
		return false
	}
	kind := items.shape().kind
	return kind == Invalid || kind == Object && !items.shape().nullable
}

// faultShape reports a root of another shape, at what keeps it from being the one that is wanted.
func (r *reading) faultShape(found *shape) {
	s, subject := r.root, "the schema"
	wanted, hint := "an object", "write type: object, and name its properties at the top"
	if r.options.Shape == ListOfObjects {
		wanted, hint = "an array of objects, because observe gives a list", "write type: array, and items with type: object and properties"
		if items := r.root.one("items", ""); found.kind == Array && items != nil {
			s, subject = items, "the schema of the items"
		}
	}
	cause := s.hidesProperties()
	if cause == nil {
		r.reader.fault(r.root.node.Fault(diag.RootShape, hint, "the schema must describe %s", wanted))
		return
	}
	hint = "name its properties beside it"
	switch cause.Key {
	case goType:
		r.reader.fault(cause.KeyFault(diag.RootShape, "take it out", "%s must become a struct, and not raw JSON", subject))
		return
	case "const", "enum":
		hint = "take it out, and name its properties"
	}
	r.reader.fault(cause.KeyFault(diag.RootShape, hint, "%s must describe an object by properties of its own, and not by %s", subject, diag.Quote(cause.Key)))
}

// hidesProperties is the keyword for which an object is no struct; nil if it is no object, or for another reason.
func (s *site) hidesProperties() *document.Node {
	if s.takes() != object {
		return nil
	}
	for _, keyword := range []string{goType, "const", "enum", "anyOf", "oneOf", "allOf", "if", "dependentSchemas"} {
		if found := s.node.Get(keyword); found != nil {
			return found
		}
	}
	return nil
}
