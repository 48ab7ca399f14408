package schema

import (
	"math/big"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// finish settles what depends on all that a type holds.
func (r *reading) finish(root *Type) {
	s := &settling{open: r.options.Open, seen: map[settled]bool{}, integers: map[*document.Node]bool{}}
	s.visit(root, true)
	r.integers = s.integers
	for _, core := range r.built {
		if t := core.memo.built; !t.NeedsName() && t.containsItself() {
			r.declare(core)
		}
	}
	for _, core := range r.built {
		r.checkFinite(core.memo.built)
		for _, value := range core.constants() {
			r.checkHeld(core, value)
		}
	}
}

// settling goes through the types that a root holds, and opens their objects if they are not to be closed. A default is
// filled in where it is certain which schema applies, which it is not in a branch of a union: there it may be absent.
type settling struct {
	open     bool
	seen     map[settled]bool
	integers map[*document.Node]bool // schemas of those that Go holds in 64 bits
}

// settled is a type in a place where defaults are filled in, or are not.
type settled struct {
	t      *Type
	filled bool
}

func (s *settling) visit(t *Type, filled bool) {
	if t == nil || s.seen[settled{t, filled}] {
		return
	}
	s.seen[settled{t, filled}] = true
	if t.Kind == Integer {
		s.integers[t.at] = true
	}
	if s.open && t.closed {
		t.closed = false
		t.Others = &Use{Type: &Type{Kind: Raw, Pos: t.Pos, at: t.at}}
	}
	for _, field := range t.Fields {
		if field.filled && !filled {
			field.Required = false
		}
		s.visit(field.Use.Type, filled)
	}
	if t.Others != nil {
		s.visit(t.Others.Type, filled)
	}
	s.visit(t.Elem.Type, filled)
	for _, branch := range t.Branches {
		s.visit(branch.Use.Type, false)
	}
}

// containsItself tells whether a list or a map leads back to itself through lists and maps alone, so that only a name
// can say what it is.
func (t *Type) containsItself() bool {
	seen := map[*Type]bool{}
	for at := t.Elem.Type; at != nil && !at.NeedsName() && !seen[at]; at = at.Elem.Type {
		if at == t {
			return true
		}
		seen[at] = true
	}
	return false
}

// checkFinite reports objects that cannot end, because each needs another of itself.
func (r *reading) checkFinite(t *Type) {
	if _, known := r.reader.finite[t]; known {
		return
	}
	r.reader.finite[t] = false
	for _, field := range t.Fields {
		if !field.Required || field.Use.Nullable {
			continue
		}
		needed := field.Use.Type.needs()
		if done, known := r.reader.finite[needed]; known && !done && needed.Kind == Object {
			r.reader.fault(field.at.KeyFault(diag.NeedsItself, "take it out of required, and leave out its default",
				"property %s needs another %s, and so on without end", diag.Quote(field.Name), diag.Quote(needed.Path)))
			continue
		}
		r.checkFinite(needed)
	}
	r.reader.finite[t] = true
}

// needs is the type of which there must be a value where there is one of t: of a list that is never empty, its items.
func (t *Type) needs() *Type {
	for t.Kind == Array && !t.Elem.Nullable {
		least := rational(t.at.Get("minItems"))
		if least == nil || least.Cmp(new(big.Rat)) <= 0 {
			return t
		}
		t = t.Elem.Type
	}
	return t
}
