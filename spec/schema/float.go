package schema

import (
	"math/big"
	"strconv"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkHeld reports the numbers in a value of a site that the author's float64 would make others of, and tells whether
// there are any: a server cannot read them exactly.
func (r *reading) checkHeld(s *site, value *document.Node) bool {
	built := s.shape().core.memo.built
	if built == nil {
		return false // nothing in Go reads it
	}
	before := len(r.reader.faults)
	built.floats(value, r.checkFloat)
	return len(r.reader.faults) > before
}

// floats calls visit for the numbers in a value of the type that Go holds as float64.
func (t *Type) floats(value *document.Node, visit func(*document.Node)) {
	if t.Kind == Float && value.Is(document.Number) {
		visit(value)
	}
	for _, inner := range value.Children {
		if of := t.inner(value, inner.Key); of != nil {
			of.floats(inner, visit)
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

func (r *reading) checkFloat(value *document.Node) {
	exact := rational(value)
	if exact == nil {
		return
	}
	held, _ := strconv.ParseFloat(value.Text, 64) // what is out of range becomes infinite or zero, which is another number
	given := strconv.FormatFloat(held, 'g', -1, 64)
	if back, ok := new(big.Rat).SetString(given); ok && back.Cmp(exact) == 0 {
		return
	}
	r.reader.fault(value.Fault(diag.BadGoType, "leave x-go-type out, or write a number that float64 holds", "float64 makes %s of %s", given, value.Text))
}
