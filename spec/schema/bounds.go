package schema

import (
	"math"
	"math/big"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// The integers that Go holds.
var (
	minInteger = new(big.Rat).SetInt64(math.MinInt64)
	maxInteger = new(big.Rat).SetInt64(math.MaxInt64)
)

// maxCount is the most that validators count to: nine digits are the same to all of them.
var maxCount = big.NewRat(999_999_999, 1)

// counts are the keywords that count something, the least before the greatest.
var counts = [...][2]string{
	{"minLength", "maxLength"}, {"minItems", "maxItems"}, {"minProperties", "maxProperties"}, {"minContains", "maxContains"},
}

// checkCounts reports a least count above the greatest, and counts that validators do not keep.
func (r *Reader) checkCounts(node *document.Node) {
	for _, pair := range counts {
		for _, key := range pair {
			if count := rational(node.Get(key)); count != nil && count.Cmp(maxCount) > 0 {
				r.fault(node.Get(key).Fault(diag.BadValue, "leave it out, or write less", "nothing counts beyond %s", maxCount.RatString()))
			}
		}
		low, high := rational(node.Get(pair[0])), rational(node.Get(pair[1]))
		if low != nil && high != nil && low.Cmp(high) > 0 {
			r.fault(node.Get(pair[0]).Fault(diag.ContradictoryBound, "move one of the two", "'%s' is above '%s'", pair[0], pair[1]))
		}
	}
}

// rational is the exact value of a number; nil where there is none.
func rational(node *document.Node) *big.Rat {
	if !node.Is(document.Number) {
		return nil
	}
	value, ok := new(big.Rat).SetString(node.Text)
	if !ok {
		return nil
	}
	return value
}

// bound is one end of the numbers that a schema takes.
type bound struct {
	node   *document.Node
	value  *big.Rat
	strict bool // the value itself is out
}

// lowest and highest are the narrower of the two keywords for each end; their node is nil if there is no bound.
func lowest(node *document.Node) bound {
	return narrower(node, "minimum", "exclusiveMinimum", 1)
}

func highest(node *document.Node) bound {
	return narrower(node, "maximum", "exclusiveMaximum", -1)
}

func narrower(node *document.Node, loose, strict string, sign int) bound {
	a := bound{node: node.Get(loose), value: rational(node.Get(loose))}
	b := bound{node: node.Get(strict), value: rational(node.Get(strict)), strict: true}
	if a.value == nil || b.value != nil && b.value.Cmp(a.value)*sign >= 0 {
		a = b
	}
	if a.value == nil {
		return bound{}
	}
	return a
}

// checkNumber reports bounds of numbers that nothing satisfies.
func (r *Reader) checkNumber(s *site) {
	set, _ := s.named()
	noun, whole := "number", set&number == integer
	if whole {
		noun = "integer"
	}
	low, high := lowest(s.node), highest(s.node)
	if low.node == nil || high.node == nil {
		return
	}
	order := low.value.Cmp(high.value)
	if order > 0 || order == 0 && (low.strict || high.strict) || whole && !holdsMultiple(low, high, one) {
		r.fault(low.node.Fault(diag.ContradictoryBound, "move one of the two", "no %s is between %s and %s", noun, low.node.Text, high.node.Text))
		return
	}
	step := rational(s.node.Get("multipleOf"))
	if step == nil || step.Sign() <= 0 {
		return
	}
	if whole {
		step.SetInt(step.Num()) // in lowest terms, so that no less is both an integer and a multiple
	}
	if !holdsMultiple(low, high, step) {
		r.fault(s.node.Get("multipleOf").Fault(diag.ContradictoryBound, "change it, or move a bound", "no multiple of it is between %s and %s", low.node.Text, high.node.Text))
	}
}

var one = big.NewRat(1, 1)

// holdsMultiple tells whether there is a multiple of a step between two bounds.
func holdsMultiple(low, high bound, step *big.Rat) bool {
	least := new(big.Rat).SetInt(ceiling(new(big.Rat).Quo(low.value, step)))
	least.Mul(least, step)
	if low.strict && least.Cmp(low.value) == 0 {
		least.Add(least, step)
	}
	order := least.Cmp(high.value)
	return order < 0 || order == 0 && !high.strict
}

// ceiling is the least integer that is not below a value.
func ceiling(value *big.Rat) *big.Int {
	quotient, rest := new(big.Int).DivMod(value.Num(), value.Denom(), new(big.Int))
	if rest.Sign() != 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	return quotient
}
