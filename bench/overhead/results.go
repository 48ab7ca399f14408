package main

import (
	"errors"
	"io"
	"math"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/report"
	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

// print writes a table of what was measured to out, and one of what must hold of it.
func (r *results) print(out io.Writer) error {
	t := report.Table{Titles: []string{"", "guarded p50 / p99", "bare p50 / p99", "ratio of p50", "guard's own"}}
	for _, of := range r.rows {
		t.Add(of.call+", "+of.transport, typical(of.guarded), typical(of.bare), report.Number(of.ratio()), report.Seconds(of.difference()))
	}
	verdict := report.Verdict{
		Measure: "preview through a guard over a bare tool, stdio", Bound: report.AtMost(1.5), Ratio: math.NaN(),
	}
	if of := r.row("preview", "stdio"); of != nil {
		verdict.Ratio = of.ratio()
	}
	return errors.Join(t.Print(out), report.PrintVerdicts(out, []report.Verdict{verdict}))
}

// ratio is the median of the ratios of the rounds.
func (r *row) ratio() float64 {
	return r.each(func(guarded, bare time.Duration) float64 { return guarded.Seconds() / bare.Seconds() })
}

// difference is what a guard adds to a call, in seconds.
func (r *row) difference() float64 {
	return r.each(func(guarded, bare time.Duration) float64 { return (guarded - bare).Seconds() })
}

func (r *row) each(value func(guarded, bare time.Duration) float64) float64 {
	var values []float64
	for i := range r.guarded {
		values = append(values, value(r.guarded[i].P50, r.bare[i].P50))
	}
	return stat.Median(values)
}

// typical are the medians of the quantiles of all rounds.
func typical(rounds []stat.Quantiles) string {
	var p50, p99 []float64
	for _, q := range rounds {
		p50, p99 = append(p50, q.P50.Seconds()), append(p99, q.P99.Seconds())
	}
	return report.Seconds(stat.Median(p50)) + " / " + report.Seconds(stat.Median(p99))
}
