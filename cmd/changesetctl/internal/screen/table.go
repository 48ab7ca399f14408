package screen

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"

	"github.com/changesetgen/changesetgen/runtime"
)

// Column is one column of a table.
type Column struct {
	Head string
	// Min is how many cells are left of the column where the terminal is too narrow for all; on one that is narrower still
	// the column is left out. 0: it is always whole.
	Min int
}

// Cell is one value in a table.
type Cell struct {
	Text   string
	Colour Colour
}

const (
	gap    = "  " // between columns
	cutOff = "…"  // ends a text that does not fit
)

// Table writes rows below the heads of their columns. On a terminal it is made to fit: the widest columns that may be
// cut are cut first.
func (s *Screen) Table(columns []Column, rows [][]Cell) {
	t := table{columns: columns, widths: make([]int, len(columns))}
	t.add(heads(columns))
	for _, row := range rows {
		t.add(row)
	}
	if s.width > 0 {
		t.fit(s.width)
	}
	for _, row := range t.rows {
		s.write(t.line(s, row) + "\n")
	}
}

func heads(columns []Column) []Cell {
	row := make([]Cell, len(columns))
	for i, c := range columns {
		row[i] = Cell{c.Head, Bold}
	}
	return row
}

// table is what is written, with the width of each column in cells; 0 for one that is left out.
type table struct {
	columns []Column
	rows    [][]Cell
	widths  []int
}

// add takes a row in, visible and in one line.
func (t *table) add(row []Cell) {
	shown := make([]Cell, len(row))
	for i, c := range row {
		c.Text = runtime.Textf("%v", c.Text)
		shown[i] = c
		t.widths[i] = max(t.widths[i], displaywidth.String(c.Text))
	}
	t.rows = append(t.rows, shown)
}

// total is the width of a line.
func (t *table) total() int {
	total := 0
	for _, w := range t.widths {
		if w > 0 {
			total += w + len(gap)
		}
	}
	return max(0, total-len(gap))
}

func (t *table) fit(width int) {
	for t.total() > width {
		widest := t.widest()
		if widest < 0 {
			break
		}
		t.widths[widest]--
	}
	for i, c := range slices.Backward(t.columns) {
		if t.total() > width && c.Min > 0 {
			t.widths[i] = 0
		}
	}
}

// widest is the column that gives way next; -1 if none can.
func (t *table) widest() int {
	widest := -1
	for i, c := range t.columns {
		if c.Min > 0 && t.widths[i] > c.Min && (widest < 0 || t.widths[i] > t.widths[widest]) {
			widest = i
		}
	}
	return widest
}

// line writes nothing behind the last text.
func (t *table) line(s *Screen, row []Cell) string {
	var line strings.Builder
	pad := ""
	for i, c := range row {
		if t.widths[i] == 0 {
			continue
		}
		text := displaywidth.TruncateString(c.Text, t.widths[i], cutOff)
		if text != "" {
			line.WriteString(pad + s.paint(c.Colour, text))
			pad = ""
		}
		pad += strings.Repeat(" ", t.widths[i]-displaywidth.String(text)) + gap
	}
	return line.String()
}
