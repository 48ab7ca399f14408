package report_test

import (
	"math"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/bench/internal/report"
	"github.com/google/go-cmp/cmp"
)

func TestTheColumnsOfATableAreAligned(t *testing.T) {
	t.Parallel()
	table := report.Table{Titles: []string{"what", "p50"}}
	table.Add("claim among 10⁶", report.Seconds(0.0002512))
	table.Add("list", report.Seconds(math.NaN()))
	var out strings.Builder
	if err := table.Print(&out); err != nil {
		t.Fatal(err)
	}
	want := "" +
		"| what            |   p50 |\n" +
		"| --------------- | ----: |\n" +
		"| claim among 10⁶ | 251µs |\n" +
		"| list            |       |\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAVerdictSaysWhetherABoundIsMet(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	err := report.PrintVerdicts(&out, []report.Verdict{
		{Measure: "large", Bound: report.AtLeast(12), Ratio: 12},
		{Measure: "small", Bound: report.AtMost(0.2), Ratio: 0.21},
		{Measure: "unknown", Bound: report.AtMost(1), Ratio: math.NaN()},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := "\n" +
		"| must hold |  bound | measured | met |\n" +
		"| --------- | -----: | -------: | --: |\n" +
		"| large     | ≥ 12.0 |     12.0 | yes |\n" +
		"| small     | ≤ 0.20 |     0.21 |  no |\n"
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
