package diag

import (
	"cmp"
	"slices"
)

// List is all that is wrong with a spec.
type List []Diagnostic

// Sort puts the list in the order of the file and takes out what is said twice.
func (l *List) Sort() {
	slices.SortStableFunc(*l, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Where, b.Where),
			cmp.Compare(a.Message, b.Message),
		)
	})
	*l = slices.Compact(*l)
}

// Add puts one more at the end.
func (l *List) Add(d Diagnostic) { *l = append(*l, d) }
