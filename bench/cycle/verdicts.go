package main

import (
	"fmt"

	"github.com/changesetgen/changesetgen/bench/internal/report"
)

// verdicts hold what was measured against what must hold.
func (r *results) verdicts() []report.Verdict {
	all := []report.Verdict{
		{Measure: "syncs a commit, one caller", Bound: report.AtMost(1.05), Ratio: r.median(together(1), syncsPerCommit)},
		// A cycle is five commits, so that this is cycles by a fifth of the rate of the disk.
		{Measure: "cycles/s, one caller, over fsync rate ÷ 5", Bound: report.AtLeast(0.7), Ratio: r.median(together(1), overDisk)},
	}
	for _, b := range []struct {
		callers                 int
		overUnbatched, overDisk float64
	}{{64, 12, 8}, {256, 16, 11}} {
		batched := together(b.callers)
		all = append(all,
			report.Verdict{
				Measure: fmt.Sprintf("commits/s, batched over one by one, callers: %d", b.callers),
				Bound:   report.AtLeast(b.overUnbatched), Ratio: r.ratio(batched, oneByOne(b.callers), commitRate),
			},
			report.Verdict{
				Measure: fmt.Sprintf("commits/s over fsync rate, callers: %d", b.callers),
				Bound:   report.AtLeast(b.overDisk), Ratio: r.median(batched, overDisk),
			})
	}
	all = append(all,
		report.Verdict{Measure: "p99 of a commit, batched over one by one, callers: 64", Bound: report.AtMost(0.2), Ratio: r.ratio(together(64), oneByOne(64), commitP99)},
		report.Verdict{Measure: "4 × 4 processes, slowest over fastest", Bound: report.AtLeast(0.7), Ratio: r.median(shared(4), fairness)},
		report.Verdict{Measure: "4 × 4 processes, worst p99 of a commit over an fsync", Bound: report.AtMost(100), Ratio: r.median(shared(4), lastOverSync)},
		report.Verdict{Measure: "4 × 4 processes, busy errors", Bound: report.AtMost(0), Ratio: r.median(shared(4), busy)},
	)
	all = append(all, r.ofRows()...)
	return append(all,
		report.Verdict{Measure: fmt.Sprintf("PostgreSQL, claims/s over pgbench's tps, callers: %d", clients), Bound: report.AtLeast(1.3), Ratio: r.ratio(claims, peer, commitRate)},
		report.Verdict{Measure: fmt.Sprintf("PostgreSQL, batched claims/s over pgbench's tps, callers: %d", many), Bound: report.AtLeast(3), Ratio: r.ratio(claimsBatched, peer, commitRate)},
	)
}

// ofRows compare the largest ledger with smaller ones.
func (r *results) ofRows() []report.Verdict {
	if len(r.rows) < 2 {
		return nil
	}
	smallest, second, largest := r.rows[0], r.rows[len(r.rows)-2], r.rows[len(r.rows)-1]
	return []report.Verdict{
		{Measure: fmt.Sprintf("claim p50 among %d over %d", largest, second), Bound: report.AtMost(1.3), Ratio: r.ratio(claimAmong(largest), claimAmong(second), commitP50)},
		{Measure: fmt.Sprintf("list of open changes, p50 among %d over %d", largest, smallest), Bound: report.AtMost(2), Ratio: r.ratio(listAmong(largest), listAmong(smallest), listP50)},
	}
}
