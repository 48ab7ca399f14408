package schema

import (
	"math"
	"math/big"
	"regexp"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// The integers that Go holds.
var (
	minInteger = new(big.Rat).SetInt64(math.MinInt64)
	maxInteger = new(big.Rat).SetInt64(math.MaxInt64)
)

// checkText reports bounds and patterns of strings that cannot be kept.
func (r *reading) checkText(node *document.Node) {
	r.checkCounts(node, "minLength", "maxLength")
	pattern := node.Get("pattern")
	if !pattern.Is(document.Text) {
		return
	}
	if _, err := regexp.Compile(pattern.Text); err != nil {
		r.fault(pattern.Fault(diag.BadPattern, "patterns are RE2: no look-around, no back-references", "%v", err))
	}
}

// maxCount is the most that validators count to: nine digits are the same to all of them.
var maxCount = big.NewRat(999_999_999, 1)

// checkCounts reports a least count above the greatest, and counts that validators do not keep.
func (r *reading) checkCounts(node *document.Node, least, greatest string) {
	for _, key := range []string{least, greatest} {
		if count := rational(node.Get(key)); count != nil && count.Cmp(maxCount) > 0 {
			r.fault(node.Get(key).Fault(diag.BadValue, "leave it out, or write less", "nothing counts beyond %s", maxCount.RatString()))
		}
	}
	low, high := rational(node.Get(least)), rational(node.Get(greatest))
	if low != nil && high != nil && low.Cmp(high) > 0 {
		r.fault(node.Get(least).Fault(diag.ContradictoryBound, "", "'%s' is above '%s'", least, greatest))
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

// checkNumber reports bounds that nothing satisfies, and those of integers that do not fit 64 bits.
func (r *reading) checkNumber(node *document.Node, kind Kind) {
	low, high := lowest(node), highest(node)
	if kind == Integer {
		for _, b := range []bound{low, high} {
			if b.node != nil && (b.value.Cmp(minInteger) < 0 || b.value.Cmp(maxInteger) > 0) {
				r.fault(b.node.Fault(diag.IntegerRange, "write a bound within -2^63 and 2^63-1", "an integer beyond 64 bits is not supported"))
				return
			}
		}
	}
	if low.node == nil || high.node == nil {
		return
	}
	order := low.value.Cmp(high.value)
	if order > 0 || order == 0 && (low.strict || high.strict) || kind == Integer && !holdsMultiple(low, high, one) {
		r.fault(low.node.Fault(diag.ContradictoryBound, "", "no %s is between %s and %s", kind.noun(), low.node.Text, high.node.Text))
		return
	}
	step := rational(node.Get("multipleOf"))
	if step == nil || step.Sign() <= 0 {
		return
	}
	if kind == Integer {
		step.SetInt(step.Num()) // in lowest terms, so that no less is both an integer and a multiple
	}
	if !holdsMultiple(low, high, step) {
		r.fault(node.Get("multipleOf").Fault(diag.ContradictoryBound, "", "no multiple of it is between %s and %s", low.node.Text, high.node.Text))
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
