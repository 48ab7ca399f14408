package schema

import (
	"math/big"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// checkUnique reports an array that must hold more different items than there are. It comes after references are known.
func (r *Reader) checkUnique(s *site) {
	unique, least := s.node.Get("uniqueItems"), rational(s.node.Get("minItems"))
	items := s.one("items", "")
	if !unique.Is(document.Boolean) || unique.Text != "true" || least == nil || items == nil || s.has("prefixItems") {
		return
	}
	if values, finite := items.count(); finite && least.Cmp(big.NewRat(values, 1)) > 0 {
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
