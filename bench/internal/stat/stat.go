// Package stat says what is typical of many measurements of the same thing.
package stat

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// Median is the value in the middle; of an even number of values, the mean of the two there. Of none it is NaN.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.SortedFunc(slices.Values(values), cmp.Compare[float64])
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// Quantiles are how long something took at the median, and what only one in a hundred exceeded.
type Quantiles struct{ P50, P99 time.Duration }

// QuantilesOf sorts times. Of none, they are 0.
func QuantilesOf(times []time.Duration) Quantiles {
	if len(times) == 0 {
		return Quantiles{}
	}
	slices.Sort(times)
	return Quantiles{P50: times[len(times)/2], P99: times[len(times)*99/100]}
}
