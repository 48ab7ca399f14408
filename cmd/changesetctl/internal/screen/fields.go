package screen

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// Field is a value with its name.
type Field struct {
	Name  string
	Value Cell
}

// Fields writes values below each other, behind their names. Those without a text are left out.
func (s *Screen) Fields(indent string, fields []Field) {
	widest := 0
	for _, f := range fields {
		if f.Value.Text != "" {
			widest = max(widest, displaywidth.String(f.Name))
		}
	}
	for _, f := range fields {
		if f.Value.Text != "" {
			pad := strings.Repeat(" ", widest-displaywidth.String(f.Name))
			s.line(indent+f.Name+pad+gap, visible(f.Value.Text), f.Value.Colour)
		}
	}
}
