package screen

import "github.com/clipperhouse/displaywidth"

// wrapped breaks a visible text into lines of at most so many cells, as fold does. It leaves nothing out.
func wrapped(text string, width int) []string {
	var lines []string
	mark := ""
	for displaywidth.String(mark+text) > width {
		end := fitting(text, max(1, width-displaywidth.String(mark)))
		lines = append(lines, mark+text[:end])
		text, mark = text[end:], foldMark
	}
	if text != "" || lines == nil {
		lines = append(lines, mark+text)
	}
	return lines
}
