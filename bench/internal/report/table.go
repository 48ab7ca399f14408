// Package report prints what was measured, in Markdown.
package report

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
	"unicode/utf8"
)

// Table is printed with its columns aligned. The first column is text, the others are numbers.
type Table struct {
	Titles []string
	Rows   [][]string // as many cells each as there are titles
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Print writes the table to out.
func (t *Table) Print(out io.Writer) error {
	widths := make([]int, len(t.Titles))
	for _, row := range append([][]string{t.Titles}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var text strings.Builder
	line := func(cells []string) {
		for i, cell := range cells {
			gap := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				cell, gap = cell+gap, ""
			}
			text.WriteString("| " + gap + cell + " ")
		}
		text.WriteString("|\n")
	}
	line(t.Titles)
	rules := make([]string, len(widths))
	for i, width := range widths {
		rules[i] = strings.Repeat("-", width)
		if i > 0 {
			rules[i] = rules[i][1:] + ":"
		}
	}
	line(rules)
	for _, row := range t.Rows {
		line(row)
	}
	_, err := io.WriteString(out, text.String())
	return err
}

// Number prints a value with about three digits; "" for one that is not known.
func Number(value float64) string {
	switch {
	case math.IsNaN(value):
		return ""
	case math.Abs(value) >= 100:
		return fmt.Sprintf("%.0f", value)
	case math.Abs(value) >= 10:
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.2f", value)
}

// Seconds prints a time given in seconds, with about three digits; "" for one that is not known.
func Seconds(value float64) string {
	if math.IsNaN(value) {
		return ""
	}
	d := time.Duration(value * float64(time.Second))
	unit := time.Nanosecond
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit).String()
}
