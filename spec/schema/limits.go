package schema

import (
	"slices"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// limits are the ends of what a schema and all that always applies with it take: of numbers, and of what is counted.
type limits [1 + len(counts)]limit

type limit struct{ low, high bound }

// ofNumbers is the place of numbers in limits; those of counts follow.
const ofNumbers = 0

// limits finds the narrowest ends.
func (s *site) limits() *limits {
	if s.memo.limits != nil {
		return s.memo.limits
	}
	found := &limits{ofNumbers: {lowest(s.node), highest(s.node)}}
	for i, pair := range counts {
		found[1+i] = limit{counted(s.node.Get(pair[0])), counted(s.node.Get(pair[1]))}
	}
	for _, part := range s.always() {
		for i, other := range part.limits() {
			found[i].low = found[i].low.narrower(other.low, 1)
			found[i].high = found[i].high.narrower(other.high, -1)
		}
	}
	s.memo.limits = found
	return found
}

func counted(node *document.Node) bound {
	value := rational(node)
	if value == nil {
		return bound{}
	}
	return bound{node: node, value: value}
}

// narrower is the narrower of two ends, which are low with a sign of 1 and high with -1.
func (b bound) narrower(other bound, sign int) bound {
	switch {
	case other.node == nil:
		return b
	case b.node == nil:
		return other
	}
	if order := other.value.Cmp(b.value) * sign; order > 0 || order == 0 && other.strict {
		return other
	}
	return b
}

// isEmpty tells whether nothing is between the ends.
func (l limit) isEmpty() bool {
	if l.low.node == nil || l.high.node == nil {
		return false
	}
	order := l.low.value.Cmp(l.high.value)
	return order > 0 || order == 0 && (l.low.strict || l.high.strict)
}

// checkTogether reports ends that exclude each other although no one schema says both.
func (r *Reader) checkTogether(s *site) {
	parts := s.always()
	for i, together := range s.limits() {
		isSaid := func(part *site) bool { return part.limits()[i].isEmpty() }
		low, high := together.low.node, together.high.node
		if !together.isEmpty() || low == s.node.Get(low.Key) && high == s.node.Get(high.Key) || slices.ContainsFunc(parts, isSaid) {
			continue
		}
		r.fault(s.node.Fault(diag.ContradictoryBound, "move one of the two", "both apply here, and exclude each other: %s %s on line %d, %s %s on line %d",
			diag.Quote(low.Key), low.Text, low.Pos.Line, diag.Quote(high.Key), high.Text, high.Pos.Line))
	}
}

// isWide tells whether what bounds an integer, in the site or in a part of it, goes beyond 64 bits, and whatever always
// applies does not keep it within them.
func (s *site) isWide() bool {
	always := s.limits()[ofNumbers]
	if always.low.isWithin() && always.high.isWithin() {
		return false
	}
	return s.goesBeyond(map[*site]bool{})
}

// isWithin tells whether there is an end that 64 bits hold.
func (b bound) isWithin() bool {
	return b.node != nil && b.value.Cmp(minInteger) >= 0 && b.value.Cmp(maxInteger) <= 0
}

// goesBeyond tells whether a bound or a value that is listed, in the site or in a part of it, is beyond 64 bits.
func (s *site) goesBeyond(seen map[*site]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	for _, end := range []bound{lowest(s.node), highest(s.node)} {
		if end.node != nil && !end.isWithin() {
			return true
		}
	}
	beyond := func(value *document.Node) bool { return value.Is(document.Number) && !counted(value).isWithin() }
	return slices.ContainsFunc(s.listed(), beyond) ||
		slices.ContainsFunc(s.inPlace(), func(part *site) bool { return part.goesBeyond(seen) })
}
