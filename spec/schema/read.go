package schema

import (
	"math/big"
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// read reads the schema of a value. What is at fault has Kind Invalid, and nothing more is said about it.
func (r *reading) read(node *document.Node, place Place) Use {
	invalid := Use{Type: new(Type)}
	if node == nil || node.Broken {
		return invalid
	}
	if node.Is(document.Boolean) {
		r.fault(node.Fault(diag.UnsupportedType, "write the type of the value", "a schema that is %s is not supported", node.Text))
		return invalid
	}
	if !node.Is(document.Map) {
		return invalid
	}
	r.checkKeywords(node)
	r.readOverrides(node)
	r.checkDialect(node)
	switch {
	case node.Get("$ref") != nil:
		r.checkBeside(node, "$ref")
		return r.readReference(node.Get("$ref"))
	case node.Get("anyOf") != nil:
		r.checkBeside(node, "anyOf")
		return r.readNullable(node.Get("anyOf"), place)
	}
	kind, nullable := r.kindOf(node)
	if kind == Invalid {
		return invalid
	}
	r.checkEffect(node, kind)
	return Use{Type: r.readKind(node, kind, place), Nullable: nullable}
}

// dialect is the only one that schemas are written in.
const dialect = "https://json-schema.org/draft/2020-12/schema"

func (r *reading) checkDialect(node *document.Node) {
	if named := node.Get("$schema"); named.Is(document.Text) && named.Text != dialect {
		r.fault(named.Fault(diag.UnsupportedKeyword, "write "+dialect+", or leave it out", "dialect %s is not supported", diag.Quote(named.Text)))
	}
}

// readNullable reads the one form of anyOf there is: a schema, or null.
func (r *reading) readNullable(anyOf *document.Node, place Place) Use {
	if !anyOf.Is(document.List) {
		return Use{Type: new(Type)}
	}
	isNull := func(branch *document.Node) bool {
		kind := branch.Get("type")
		return len(branch.Keys()) == 1 && kind != nil && kind.Text == "null"
	}
	null := slices.IndexFunc(anyOf.Children, isNull)
	if len(anyOf.Children) != 2 || null < 0 {
		r.fault(anyOf.KeyFault(diag.UnsupportedType, "write one type; a choice of types needs one operation for each",
			"'anyOf' is supported only as [T, {type: 'null'}]"))
		return Use{Type: new(Type)}
	}
	use := r.read(anyOf.Children[1-null], place)
	use.Nullable = true
	return use
}

// kindsByType are the kinds of JSON Schema's types.
var kindsByType = map[string]Kind{"object": Object, "array": Array, "string": String, "integer": Integer, "number": Number, "boolean": Boolean}

// kindOf is the kind of values that a schema takes, and whether null is one of them.
func (r *reading) kindOf(node *document.Node) (kind Kind, nullable bool) {
	enum := node.Get("enum")
	named := node.Get("type")
	if named == nil {
		return r.untyped(node, enum), holdsNull(enum)
	}
	names := []*document.Node{named}
	if named.Is(document.List) {
		names = named.Children
	}
	var unknown bool
	var found []Kind
	for _, name := range names {
		kind, ok := kindsByType[name.Text]
		switch {
		case name.Text == "null" && (name != named || name.Is(document.Text)):
			nullable = true
		case !ok:
			unknown = true // the metaschema has said so
		case !slices.Contains(found, kind):
			found = append(found, kind)
		}
	}
	switch {
	case unknown:
		return Invalid, false
	case len(found) == 0:
		r.fault(named.Fault(diag.UnsupportedType, "write the type of the value, and [T, 'null'] if it may be null", "a value that is always null is not supported"))
		return Invalid, false
	case len(found) > 1:
		r.fault(named.Fault(diag.UnsupportedType, "write one type, or one and 'null'", "a choice of types is not supported"))
		return Invalid, false
	case enum == nil:
		return found[0], nullable
	case found[0] != String:
		r.fault(enum.KeyFault(diag.BadEnum, "write bounds, or strings", "an enum of other values than strings is not supported"))
		return Invalid, false
	}
	r.checkNull(enum, nullable)
	return Enum, nullable
}

// untyped is the kind of a schema that names no type: an enum of strings does without.
func (r *reading) untyped(node, enum *document.Node) Kind {
	hint := "write type: string, say"
	switch {
	case slices.ContainsFunc(node.Keys(), func(key string) bool { return unsupported[key] != "" }):
		return Invalid // reported already, and what it would have said is not known
	case enum != nil:
		return Enum
	case node.Get("properties") != nil:
		hint = "write type: object"
	case node.Get("items") != nil:
		hint = "write type: array"
	}
	r.fault(node.KeyFault(diag.UnsupportedType, hint, "a schema without a type is not supported"))
	return Invalid
}

func holdsNull(enum *document.Node) bool {
	return enum.Is(document.List) && slices.ContainsFunc(enum.Children, func(value *document.Node) bool { return value.Is(document.Null) && !value.Broken })
}

// checkNull reports a type that takes null beside an enum that does not, and the reverse.
func (r *reading) checkNull(enum *document.Node, nullable bool) {
	switch holds := holdsNull(enum); {
	case nullable && !holds:
		r.fault(enum.Fault(diag.BadEnum, "add null, or take 'null' out of the type", "the type takes null, the enum does not"))
	case holds && !nullable:
		r.fault(enum.Fault(diag.BadEnum, "take null out, or add 'null' to the type", "the enum takes null, the type does not"))
	}
}

// readKind reads a schema whose kind is known.
func (r *reading) readKind(node *document.Node, kind Kind, place Place) *Type {
	t := &Type{Kind: kind, Doc: doc(node), Pos: node.Start()}
	switch kind {
	case Object:
		return r.readObject(node, t, place)
	case Array:
		return r.readArray(node, t, place)
	case Enum:
		return r.readEnum(node, t, place)
	case String:
		r.checkText(node)
	case Integer, Number:
		r.checkNumber(node, kind)
	}
	return t
}

// doc is what a schema says of itself to people.
func doc(node *document.Node) string {
	for _, key := range []string{"description", "title"} {
		if text := node.Get(key); text.Is(document.Text) && strings.TrimSpace(text.Text) != "" {
			return strings.TrimSpace(text.Text)
		}
	}
	return ""
}

func (r *reading) readArray(node *document.Node, t *Type, place Place) *Type {
	r.checkCounts(node, "minItems", "maxItems")
	items := node.Get("items")
	if items == nil {
		r.fault(node.KeyFault(diag.UnsupportedType, "write items: and their type", "an array without 'items' is not supported"))
		return new(Type)
	}
	t.Elem = r.read(items, place.item(items))
	r.checkUnique(node, t.Elem)
	return t
}

// checkUnique reports an array that must hold more different items than there are.
func (r *reading) checkUnique(node *document.Node, items Use) {
	unique, least := node.Get("uniqueItems"), rational(node.Get("minItems"))
	if !unique.Is(document.Boolean) || unique.Text != "true" || least == nil {
		return
	}
	values := int64(len(items.Type.Values))
	switch items.Type.Kind {
	case Enum:
	case Boolean:
		values = 2
	default:
		return
	}
	if items.Nullable {
		values++
	}
	if least.Cmp(big.NewRat(values, 1)) > 0 {
		r.fault(node.Get("minItems").Fault(diag.ContradictoryBound, "", "there are %d different items", values))
	}
}
