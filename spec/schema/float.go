package schema

import (
	"math/big"
	"strconv"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkHeld reports the numbers in a value of a site that Go would not hold, and tells whether there are any: those that
// the author's float64 would make others of, and those beyond the 64 bits that an integer has without bounds of its own.
func (r *reading) checkHeld(s *site, value *document.Node) bool {
	built := s.shape().core.memo.built
	if built == nil {
		return false // nothing in Go reads it
	}
	before := len(r.reader.faults)
	built.numbers(value, r.checkNumberHeld)
	return len(r.reader.faults) > before
}

// numbers calls visit for the numbers in a value of the type, each with its own type.
func (t *Type) numbers(value *document.Node, visit func(*Type, *document.Node)) {
	if value.Is(document.Number) {
		visit(t, value)
	}
	for _, inner := range value.Children {
		if of := t.inner(value, inner.Key); of != nil {
			of.numbers(inner, visit)
		}
	}
}

// inner is the type of what a value of the type holds under a name, which an item has none of; nil where that is not
// known.
func (t *Type) inner(value *document.Node, name string) *Type {
	switch {
	case t.Kind == Array && value.Is(document.List), t.Kind == Map && value.Is(document.Map):
		return t.Elem.Type
	case t.Kind == Union && value.Is(document.Map):
		for _, branch := range t.Branches {
			if tag := value.Get(t.Tag); tag.Is(document.Text) && tag.Text == branch.Value {
				return branch.Use.Type.inner(value, name)
			}
		}
	case t.Kind == Object && value.Is(document.Map):
		for _, field := range t.Fields {
			if field.Name == name {
				return field.Use.Type
			}
		}
		if t.Others != nil {
			return t.Others.Type
		}
	}
	return nil
}

func (r *reading) checkNumberHeld(t *Type, value *document.Node) {
	switch exact := rational(value); {
	case exact == nil:
	case t.Kind == Float:
		r.checkFloat(value, exact)
	case t.Kind == Integer && (exact.Cmp(minInteger) < 0 && lowest(t.at).node == nil || exact.Cmp(maxInteger) > 0 && highest(t.at).node == nil):
		r.reader.fault(value.Fault(diag.BadDefault, "write x-go-type: number beside its type: integer", "%s is beyond the 64 bits of an integer in Go", value.Text))
	}
}

func (r *reading) checkFloat(value *document.Node, exact *big.Rat) {
	held, _ := strconv.ParseFloat(value.Text, 64) // what is out of range becomes infinite or zero, which is another number
	given := strconv.FormatFloat(held, 'g', -1, 64)
	if back, ok := new(big.Rat).SetString(given); ok && back.Cmp(exact) == 0 {
		return
	}
	r.reader.fault(value.Fault(diag.BadGoType, "leave x-go-type out, or write a number that float64 holds", "float64 makes %s of %s", given, value.Text))
}
