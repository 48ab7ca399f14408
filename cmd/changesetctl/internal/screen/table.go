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
	// Below is for the last column: with fewer cells than that it stands below the others, in a line of its own.
	Below int
	// Wrap has the last column go on in further lines, where it would be cut.
	Wrap bool
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

// Table writes rows below the heads of their columns. On a terminal it is made to fit, and a line below tells which columns
// are left out for that.
func (s *Screen) Table(columns []Column, rows [][]Cell) {
	t := table{columns: columns, widths: make([]int, len(columns))}
	t.add(heads(columns))
	for _, row := range rows {
		t.add(row)
	}
	if s.width > 0 {
		t.fit(s.width)
	}
	for i, row := range t.rows {
		for _, line := range t.lines(s, row, i == 0) {
			s.write(line + "\n")
		}
	}
	if n := len(t.left); n > 0 {
		s.Line("No room for %v of %v columns: %v. Widen the terminal to see them.", n, len(columns), strings.Join(t.left, ", "))
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

	below int      // the width of the last column where it stands below the others; 0 where it does not
	left  []string // the heads of the columns that are left out
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

// fit puts the last column below the others, if it has to, leaves columns out, the first ones first, until the others fit
// when they are cut; and then cuts the widest.
func (t *table) fit(width int) {
	if last := len(t.columns) - 1; t.columns[last].Below > 0 {
		least := t.least()
		least[last] = min(t.widths[last], t.columns[last].Below)
		if total(least) > width {
			t.widths[last], t.below = 0, max(1, width-len(belowIndent))
		}
	}
	for i, c := range t.columns {
		if c.Min > 0 && t.widths[i] > 0 && total(t.least()) > width {
			t.widths[i], t.left = 0, append(t.left, c.Head)
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

// belowIndent stands before what stands below the other columns.
const belowIndent = "    "

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

// lines are those of a row: the first one, those in which its last column goes on, and what stands below.
func (t *table) lines(s *Screen, row []Cell, head bool) []string {
	last := len(row) - 1
	if t.below > 0 {
		lines := []string{t.line(s, row)}
		if !head && row[last].Text != "" {
			for _, text := range t.pieces(row[last].Text, t.below) {
				lines = append(lines, belowIndent+s.paint(row[last].Colour, text))
			}
		}
		return lines
	}
	texts := t.pieces(row[last].Text, t.widths[last])
	indent := strings.Repeat(" ", total(t.widths)-t.widths[last])
	var lines []string
	for i, text := range texts {
		if i > 0 {
			lines = append(lines, indent+s.paint(row[last].Colour, text))
			continue
		}
		first := slices.Clone(row)
		first[last].Text = text
		lines = append(lines, t.line(s, first))
	}
	return lines
}

// pieces are the lines of a text of the last column: several where it is wrapped, else one.
func (t *table) pieces(text string, width int) []string {
	if !t.columns[len(t.columns)-1].Wrap || width == 0 {
		return []string{displaywidth.TruncateString(text, width, cutOff)}
	}
	return wrapped(text, width)
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
