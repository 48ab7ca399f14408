package schema

import (
	"math/big"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkItems reports an array that must hold more items than it may, or than there are different ones. It comes after
// references are known.
func (r *Reader) checkItems(s *site) {
	least := rational(s.node.Get("minItems"))
	if least == nil {
		return
	}
	if most := len(s.all("prefixItems")); s.refuses("items") && least.Cmp(big.NewRat(int64(most), 1)) > 0 {
		r.fault(s.node.Get("minItems").Fault(diag.ContradictoryBound, "write no more, or change items", "the array has no more than %d items", most))
	}
	r.checkUnique(s, least)
}

// checkUnique reports an array that must hold more different items than there are.
func (r *Reader) checkUnique(s *site, needed *big.Rat) {
	unique := s.node.Get("uniqueItems")
	items := s.one("items", "")
	if !unique.Is(document.Boolean) || unique.Text != "true" || items == nil || s.has("prefixItems") {
		return
	}
	if values, finite := items.count(); finite && needed.Cmp(big.NewRat(values, 1)) > 0 {
		r.fault(s.node.Get("minItems").Fault(diag.ContradictoryBound, "write no more, or leave uniqueItems out", "there are %d different items", values))
	}
}

// count is how many values a site takes, if they can be counted.
func (s *site) count() (values int64, finite bool) {
	found := s.shape()
	switch found.kind {
	case Enum:
		values = int64(len(enumValues(found.core)))
	case Boolean:
		values = 2
		if listed := found.core.constants(); listed != nil {
			values = int64(len(listed))
		}
	default:
		return 0, false
	}
	if found.nullable {
		values++
	}
	return values, true
}
