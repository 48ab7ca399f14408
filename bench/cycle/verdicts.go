package main

import (
	"fmt"
	"slices"

	"github.com/changesetgen/changesetgen/bench/internal/report"
)

// verdicts hold what was measured against what must hold.
func (r *results) verdicts() []report.Verdict {
	return slices.Concat(r.ofOneProcess(), r.ofProcesses(), r.ofRows(), r.ofPostgres())
}

func must(measure string, bound report.Bound, ratio float64) report.Verdict {
	return report.Verdict{Measure: measure, Bound: bound, Ratio: ratio}
}

func (r *results) ofOneProcess() []report.Verdict {
	commits := func(callers int, what string) string { return fmt.Sprintf("commits/s %s, callers: %d", what, callers) }
	overAlone := func(callers int) float64 { return r.ratio(together(callers), oneByOne(callers), commitRate) }
	return []report.Verdict{
		must("syncs a commit, one caller", report.AtMost(1.05), r.median(together(1), syncsPerCommit)),
		// A cycle is five commits: these are cycles over a fifth of the rate.
		must("cycles/s, one caller, over fsync rate ÷ 5", report.AtLeast(0.7), r.median(together(1), overDisk)),
		must(commits(64, "batched over one by one"), report.AtLeast(12), overAlone(64)),
		must(commits(256, "batched over one by one"), report.AtLeast(16), overAlone(256)),
		must(commits(64, "over fsync rate"), report.AtLeast(8), r.median(together(64), overDisk)),
		must(commits(256, "over fsync rate"), report.AtLeast(11), r.median(together(256), overDisk)),
		must("p99 of a commit, batched over one by one, callers: 64", report.AtMost(0.2), r.ratio(together(64), oneByOne(64), commitP99)),
	}
}

func (r *results) ofProcesses() []report.Verdict {
	few := shared(4)
	return []report.Verdict{
		must("4 × 4 processes, slowest over fastest", report.AtLeast(0.7), r.median(few, fairness)),
		must("4 × 4 processes, worst p99 of a commit over an fsync", report.AtMost(100), r.median(few, lastOverSync)),
		must("4 × 4 processes, busy errors", report.AtMost(0), r.median(few, busy)),
	}
}

// ofRows compare the largest ledger with smaller ones.
func (r *results) ofRows() []report.Verdict {
	if len(r.rows) < 2 {
		return nil
	}
	smallest, second, largest := r.rows[0], r.rows[len(r.rows)-2], r.rows[len(r.rows)-1]
	return []report.Verdict{
		must(fmt.Sprintf("p50 of a claim among %d over %d", largest, second), report.AtMost(1.3),
			r.ratio(claimAmong(largest), claimAmong(second), commitP50)),
		must(fmt.Sprintf("p50 of a list of open changes among %d over %d", largest, smallest), report.AtMost(2),
			r.ratio(listAmong(largest), listAmong(smallest), listP50)),
	}
}

func (r *results) ofPostgres() []report.Verdict {
	over := func(callers int) string {
		return fmt.Sprintf("PostgreSQL, claims/s over pgbench's tps, callers: %d", callers)
	}
	return []report.Verdict{
		must(over(clients), report.AtLeast(1.3), r.ratio(claims, peer, commitRate)),
		must(over(many), report.AtLeast(3), r.ratio(claimsOfAll, peer, commitRate)),
	}
}
