package spec

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
)

// checkMarkedAlike reports two values that stand for the same thing and of which one alone is marked as sensitive: what
// is hidden in one would be told by the other. The pair is a row's before and after, or the sides of a condition.
func (c *checker) checkMarkedAlike(node *document.Node, one, other expr.Node, op *Operation) {
	left, isPath := one.(*expr.Path)
	right, arePaths := other.(*expr.Path)
	if !isPath || !arePaths || node == nil {
		return
	}
	marked, plain := halfMarked(left, right, nil)
	if marked == nil {
		return
	}
	d := node.Fault(diag.HalfSensitive, "write x-sensitive: true at "+plain.String()+" too",
		"%s is sensitive, and %s beside it is not, and would tell it", diag.Quote(marked.String()), diag.Quote(plain.String()))
	d.Pos = plain.Pos()
	c.faultsOf(op, diag.List{d})
}

// halfMarked finds the first pair of values, at two paths or in the members of the same names below them, of which one is
// sensitive and the other is not; nil if there is none. Above are the types that lead there.
func halfMarked(left, right *expr.Path, above []*schema.Type) (marked, plain *expr.Path) {
	object := left.Of.Use.Type
	switch hidden, beside := left.Of.IsSensitive(), right.Of.IsSensitive(); {
	case hidden && beside:
		return nil, nil
	case hidden:
		return left, right
	case beside:
		return right, left
	case slices.Contains(above, object):
		return nil, nil
	}
	for _, field := range object.Fields {
		there := member(right, field.Name)
		if there == nil {
			continue
		}
		if marked, plain = halfMarked(left.Into(field), there, append(slices.Clip(above), object)); marked != nil {
			return marked, plain
		}
	}
	return nil, nil
}
