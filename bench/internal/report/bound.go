package report

import (
	"fmt"
	"io"
	"math"
)

// Bound is what a ratio must be.
type Bound struct {
	AtMost bool // else at least
	Limit  float64
}

// AtLeast is the bound of a ratio that should be large.
func AtLeast(limit float64) Bound { return Bound{Limit: limit} }

// AtMost is the bound of a ratio that should be small.
func AtMost(limit float64) Bound { return Bound{AtMost: true, Limit: limit} }

// String is how the bound is printed.
func (b Bound) String() string {
	if b.AtMost {
		return "≤ " + Number(b.Limit)
	}
	return "≥ " + Number(b.Limit)
}

// Met tells whether a ratio keeps to the bound.
func (b Bound) Met(ratio float64) bool {
	if b.AtMost {
		return ratio <= b.Limit
	}
	return ratio >= b.Limit
}

// Verdict is a ratio that was measured, and what it must be.
type Verdict struct {
	Measure string
	Bound   Bound
	Ratio   float64 // NaN: not measured
}

// PrintVerdicts writes a table of verdicts to out. What was not measured is left out.
func PrintVerdicts(out io.Writer, verdicts []Verdict) error {
	t := Table{Titles: []string{"must hold", "bound", "measured", "met"}}
	for _, v := range verdicts {
		if math.IsNaN(v.Ratio) {
			continue
		}
		met := "no"
		if v.Bound.Met(v.Ratio) {
			met = "yes"
		}
		t.Add(v.Measure, v.Bound.String(), Number(v.Ratio), met)
	}
	if len(t.Rows) == 0 {
		return nil
	}
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return t.Print(out)
}
