package main

import (
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/changesetgen/changesetgen/bench/internal/stat"
)

// describe says what everything was measured on.
func describe(out io.Writer, repeats int) error {
	_, err := fmt.Fprintf(out, "%s, %s/%s, %d cores; medians of %d runs; ratios are medians of the ratios within a run\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), repeats)
	return err
}

// column is something that is measured.
type column struct {
	title string
	value func(sample) float64
	print func(float64) string
}

var columns = []column{
	{"generation", func(s sample) float64 { return s.generate.wall.Seconds() }, seconds},
	{"peak memory", func(s sample) float64 { return float64(s.generate.peak) }, megabytes},
	{"lines of Go", func(s sample) float64 { return float64(s.lines) }, func(v float64) string { return fmt.Sprintf("%.0f", v) }},
	{"build", func(s sample) float64 { return s.build.wall.Seconds() }, seconds},
}

// printTable prints the results as a table in Markdown.
func printTable(out io.Writer, results []*result) error {
	lines := []string{fmt.Sprintf("| %10s | %-12s |", "operations", ""), "| ---------: | ------------ |"}
	for _, c := range columns {
		lines[0] += fmt.Sprintf(" %11s |", c.title)
		lines[1] += " ----------: |"
	}
	for _, r := range results {
		mine := fmt.Sprintf("| %10d | %-12s |", r.operations, ours.name)
		peer := fmt.Sprintf("| %10s | %-12s |", "", theirs.name)
		ratio := fmt.Sprintf("| %10s | %-12s |", "", "ratio")
		for _, c := range columns {
			mine += fmt.Sprintf(" %11s |", c.print(medianOf(r.ours, c.value)))
			peer += fmt.Sprintf(" %11s |", c.print(medianOf(r.theirs, c.value)))
			ratio += fmt.Sprintf(" %11.2f |", stat.Median(ratios(r, c.value)))
		}
		lines = append(lines, mine, peer, ratio)
	}
	for _, line := range lines {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	return nil
}

// ratios are ours by theirs, pair by pair.
func ratios(r *result, value func(sample) float64) []float64 {
	all := make([]float64, len(r.ours))
	for i := range r.ours {
		all[i] = value(r.ours[i]) / value(r.theirs[i])
	}
	return all
}

func medianOf(samples []sample, value func(sample) float64) float64 {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	return stat.Median(values)
}

func seconds(v float64) string {
	return time.Duration(v * float64(time.Second)).Round(time.Millisecond).String()
}

func megabytes(v float64) string {
	if v == 0 {
		return "not known"
	}
	const megabyte = 1 << 20
	return fmt.Sprintf("%.0f MiB", v/megabyte)
}
