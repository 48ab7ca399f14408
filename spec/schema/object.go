package schema

import (
	"math/big"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

func (r *reading) readObject(node *document.Node, t *Type, place Place) *Type {
	r.name(t, node, place)
	r.checkClosed(node)
	r.checkCounts(node, "minProperties", "maxProperties")
	properties := node.Get("properties")
	if properties == nil {
		r.fault(node.KeyFault(diag.UnsupportedType, "name the properties, or write properties: {} for none",
			"an object without 'properties' is not supported"))
		return new(Type)
	}
	if !properties.Is(document.Map) {
		return new(Type)
	}
	required := r.required(node, properties)
	for _, property := range properties.Children {
		field := &Field{Name: property.Key, Word: wordOf(property, property.Key), Doc: doc(property), Pos: property.KeyPos, at: property}
		field.Use = r.read(property, place.property(field.Word, property.Key))
		field.Required = required[property.Key] || property.Get("default") != nil
		if field.Doc == "" && !field.Use.Type.NeedsName() {
			field.Doc = field.Use.Type.Doc
		}
		r.checkField(property, field)
		t.Fields = append(t.Fields, field)
	}
	r.checkRoom(node, t)
	return t
}

// checkRoom reports an object that needs more properties than it may have, or than it names.
func (r *reading) checkRoom(node *document.Node, t *Type) {
	needed := int64(0)
	for _, field := range t.Fields {
		if field.Required {
			needed++
		}
	}
	least, greatest := rational(node.Get("minProperties")), rational(node.Get("maxProperties"))
	if named := int64(len(t.Fields)); least != nil && least.Cmp(big.NewRat(named, 1)) > 0 {
		r.fault(node.Get("minProperties").Fault(diag.ContradictoryBound, "", "the object has no more than %d", named))
	}
	if greatest != nil && greatest.Cmp(big.NewRat(needed, 1)) < 0 {
		r.fault(node.Get("maxProperties").Fault(diag.ContradictoryBound, "", "%d are required or have a default", needed))
	}
}

// checkClosed reports keywords that let an object have more properties than it names.
func (r *reading) checkClosed(node *document.Node) {
	for _, keyword := range []string{"additionalProperties", "unevaluatedProperties"} {
		others := node.Get(keyword)
		if others == nil || others.Is(document.Boolean) && others.Text == "false" {
			continue
		}
		r.fault(others.KeyFault(diag.UnsupportedKeyword, "name the properties; for keys that are not known write an array of objects",
			"an object with other properties than it names is not supported"))
	}
}

// required are the names that must be there; each must be a property.
func (r *reading) required(node, properties *document.Node) map[string]bool {
	required := map[string]bool{}
	names := node.Get("required")
	if !names.Is(document.List) {
		return required
	}
	for _, name := range names.Children {
		if !name.Is(document.Text) {
			continue
		}
		required[name.Text] = true
		if properties.Get(name.Text) == nil {
			r.fault(name.Fault(diag.RequiredUnknown, diag.DidYouMean(name.Text, properties.Keys()), "required %s is no property", diag.Quote(name.Text)))
		}
	}
	return required
}

// checkField reports a property that cannot become a field.
func (r *reading) checkField(property *document.Node, field *Field) {
	if !hasTag(field.Name) {
		r.fault(property.KeyFault(diag.BadName, "use letters, digits and signs, without quotes, commas and backslashes",
			"no struct tag can say the property name %s", diag.Quote(field.Name)))
	}
	if field.Use.Nullable && !field.Required {
		r.fault(property.KeyFault(diag.OptionalNullable, "add it to required, or take null out",
			"property %s may be absent and may be null, which is not supported", diag.Quote(field.Name)))
	}
}
