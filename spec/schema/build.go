package schema

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/spec/document"
)

// use is the type of what a site describes, where it is used.
func (r *reading) use(s *site) Use {
	found := s.shape()
	use := Use{Type: r.build(found), Nullable: found.nullable, Sensitive: r.isSensitive(s)}
	if found.kind == Raw && r.isSensitiveWithin(s) {
		use.Sensitive = true
	}
	return use
}

// build makes the type of a shape, once. It may be asked for again while it is being made: the type then contains itself.
func (r *reading) build(found *shape) *Type {
	core := found.core
	if core.memo.built != nil {
		return core.memo.built
	}
	t := &Type{Kind: found.kind, Doc: doc(core.node), Note: found.note, Pos: core.node.Start(), at: core.node}
	core.memo.built = t
	r.built = append(r.built, core)
	if def := core.definition(); def != nil {
		r.reader.used[def] = true
	}
	switch found.kind {
	case Object:
		r.declare(core)
		r.buildObject(t, core)
	case Map:
		t.Elem = *r.membersOf(core)
	case Array:
		t.Elem = r.itemsOf(core)
		t.Mixed = t.Elem.Sensitive && r.hasPlainItems(core)
	case Enum:
		r.declare(core)
		t.Base, t.Values = base(core), enumValues(core)
	case Union:
		r.declare(core)
		r.buildUnion(t, found)
	case String:
		t.DateTime = core.isDateTime()
	}
	return t
}

// base is the kind of the values of an enum.
func base(s *site) Kind {
	if s.takes()&text != nothing {
		return String
	}
	return Integer
}

// declare gives the type of a site what it is named after, and puts it on the list.
func (r *reading) declare(core *site) {
	t := core.memo.built
	place := core.place()
	t.Words, t.Path = place.Words, place.Path
	if core.isShared() {
		r.reader.named = append(r.reader.named, core)
		return
	}
	r.named = append(r.named, t)
}

// raw is a type for what is not described, at s. What is said of its values is in said.
func (r *reading) raw(note string, s *site, said ...*site) Use {
	t := &Type{Kind: Raw, Note: note, Pos: s.node.Start(), at: s.node}
	return Use{Type: t, Sensitive: r.isSensitiveWithin(said...)}
}

// itemsOf is the type of the items of an array.
func (r *reading) itemsOf(s *site) Use {
	items, first := s.one("items", ""), s.all("prefixItems")
	switch {
	case len(first) == 0 && items == nil:
		return r.raw("nothing is said of the items", s)
	case len(first) == 0:
		return r.use(items)
	case items == nil:
		return r.raw("its items are of different types", s, first...)
	}
	every := append(slices.Clone(first), items)
	if !alike(every) {
		return r.raw("its items are of different types", s, every...)
	}
	use := r.use(first[0])
	use.Sensitive = use.Sensitive || slices.ContainsFunc(every, r.isSensitive)
	return use
}

// alike tells whether all sites describe one type. What is false describes nothing, and agrees with everything.
func alike(sites []*site) bool {
	var one *shape
	for i, s := range sites {
		if i > 0 && s.node.Is(document.Boolean) && s.node.Text == "false" {
			continue
		}
		found := s.shape()
		if one == nil {
			one = found
		}
		if !one.isLike(found) {
			return false
		}
	}
	return true
}

// isLike tells whether two shapes make one type: they are of one schema, or of a kind that has no more to it.
func (a *shape) isLike(b *shape) bool {
	switch {
	case a.kind != b.kind || a.nullable != b.nullable:
		return false
	case a.kind == String:
		return a.core == b.core || a.core.isDateTime() == b.core.isDateTime()
	case a.kind == Integer || a.kind == WideInteger || a.kind == Number || a.kind == Float || a.kind == Boolean:
		return true
	default:
		return a.core == b.core
	}
}

func (s *site) isDateTime() bool {
	format := s.node.Get("format")
	return format.Is(document.Text) && format.Text == dateTime
}

// doc is what a schema says of itself to people.
func doc(node *document.Node) string {
	for _, key := range []string{"description", "title"} {
		if said := node.Get(key); said.Is(document.Text) && strings.TrimSpace(said.Text) != "" {
			return strings.TrimSpace(said.Text)
		}
	}
	return ""
}
