package screen

import (
	"slices"
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Column is one column of a table.
type Column struct {
	Head string
	// Min is how many cells are left of the column where the terminal is too narrow for all of it. Where it is narrower
	// still, columns with a Min are left out, the first ones first. 0: it is always whole.
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

// Table writes rows below the heads of their columns. On a terminal it is made to fit.
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
		c.Text = visible(c.Text)
		shown[i] = c
		t.widths[i] = max(t.widths[i], displaywidth.String(c.Text))
	}
	t.rows = append(t.rows, shown)
}

// total is the width of a line whose columns have these widths.
func total(widths []int) int {
	cells := 0
	for _, w := range widths {
		if w > 0 {
			cells += w + len(gap)
		}
	}
	return max(0, cells-len(gap))
}

// least are the widths with all columns cut as far as they can be.
func (t *table) least() []int {
	least := slices.Clone(t.widths)
	for i, c := range t.columns {
		if c.Min > 0 {
			least[i] = min(least[i], c.Min)
		}
	}
	return least
}

// fit leaves columns out, the first ones first, until the others fit when they are cut; and then cuts the widest.
func (t *table) fit(width int) {
	for i, c := range t.columns {
		if c.Min > 0 && total(t.least()) > width {
			t.widths[i] = 0
		}
	}
	for total(t.widths) > width {
		widest := t.widest()
		if widest < 0 {
			return
		}
		t.widths[widest]--
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
