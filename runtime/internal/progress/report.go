package progress

import "math"

// Report says how far a call is. A total of 0 is unknown.
type Report struct {
	Done, Total float64
	Text        string
}

// sendable is a report as it is sent; false where there is none: JSON has no number for some.
func (r Report) sendable() (Report, bool) {
	if isUnsayable(r.Done) {
		return r, false
	}
	if isUnsayable(r.Total) || r.Total < r.Done {
		r.Total = 0
	}
	return r, true
}

func isUnsayable(n float64) bool { return math.IsNaN(n) || math.IsInf(n, 0) }
