package main

import (
	"errors"
	"io"
	"math"

	"github.com/changesetgen/changesetgen/bench/internal/report"
	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

// What the disk does alone is called.
const (
	appended = "a page appended and synced"
	again    = "a page written again and synced"
)

// results are what was measured in all rounds.
type results struct {
	names    []string // of what was measured, as it is printed
	rounds   []map[string]figures
	rows     rowList // of the ledgers that are compared
	versions []string
}

// median is that of a metric in all rounds; NaN if it was not measured.
func (r *results) median(name string, m metric) float64 {
	return r.each(func(round map[string]figures) float64 { return round[name].value(m) })
}

// ratio is the median of the ratios of a metric of two subjects within a round.
func (r *results) ratio(name, other string, m metric) float64 {
	return r.each(func(round map[string]figures) float64 { return round[name].value(m) / round[other].value(m) })
}

func (r *results) each(value func(round map[string]figures) float64) float64 {
	var values []float64
	for _, round := range r.rounds {
		if v := value(round); !math.IsNaN(v) {
			values = append(values, v)
		}
	}
	return stat.Median(values)
}

// column is what is printed of a subject.
type column struct {
	title string
	text  func(value func(metric) float64) string
}

func number(m metric) func(func(metric) float64) string {
	return func(value func(metric) float64) string { return report.Number(value(m)) }
}

func quantiles(p50, p99 metric) func(func(metric) float64) string {
	return func(value func(metric) float64) string {
		if math.IsNaN(value(p50)) {
			return ""
		}
		return report.Seconds(value(p50)) + " / " + report.Seconds(value(p99))
	}
}

var columns = []column{
	{"cycles/s", number(cycleRate)}, {"commits/s", number(commitRate)}, {"over fsync rate", number(overDisk)},
	{"cycle p50 / p99", quantiles(cycleP50, cycleP99)}, {"commit p50 / p99", quantiles(commitP50, commitP99)},
	{"list p50 / p99", quantiles(listP50, listP99)},
	{"p99 over an fsync", number(lastOverSync)}, {"syncs a commit", number(syncsPerCommit)},
	{"slowest over fastest", number(fairness)}, {"busy", number(busy)},
}

// print writes a table of what was measured to out, and one of what must hold of it.
func (r *results) print(out io.Writer) error {
	t := report.Table{Titles: []string{""}}
	for _, c := range columns {
		t.Titles = append(t.Titles, c.title)
	}
	for _, name := range r.names {
		cells := []string{name}
		for _, c := range columns {
			cells = append(cells, c.text(func(m metric) float64 { return r.median(name, m) }))
		}
		t.Add(cells...)
	}
	return errors.Join(t.Print(out), report.PrintVerdicts(out, r.verdicts()))
}
