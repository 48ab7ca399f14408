package screen

import (
	"strings"

	"github.com/clipperhouse/displaywidth"
)

// foldMark begins each line in which one goes on that the terminal is too narrow for. A line that a terminal folds itself
// goes on where lines of ours begin, so that a value could pose as one by how much stands before it; here none can, as no
// other line begins so.
const (
	foldMark    = "↳ "
	writtenMark = `\u21b3 ` // where a text begins like that
)

// foldRest is what part of a line has to be filled, as one over it, for a break between words to be taken.
const foldRest = 2

// fold is a visible text in the lines that it takes on the terminal. It leaves nothing out.
func (s *Screen) fold(text string) []string {
	if rest, poses := strings.CutPrefix(text, foldMark); poses {
		text = writtenMark + rest
	}
	if s.width <= 0 {
		return []string{text}
	}
	var lines []string
	mark := ""
	for {
		room := max(1, s.width-displaywidth.String(mark))
		end := fitting(text, room)
		lines = append(lines, mark+text[:end])
		if text = text[end:]; text == "" {
			return lines
		}
		mark = foldMark
	}
}

// fitting is how many bytes of a text fit into so many cells: at least one character, and whole words where that does not
// leave much of the line empty. Characters count by themselves: how terminals draw several as one is up to them.
func fitting(text string, room int) int {
	cells, word := 0, 0
	for at, r := range text {
		width := displaywidth.Rune(r)
		if at > 0 && cells+width > room {
			if displaywidth.String(text[:word])*foldRest >= room {
				return word
			}
			return at
		}
		if cells += width; r == ' ' {
			word = at + 1
		}
	}
	return len(text)
}

// line writes a visible text with what stands before it, in as many lines as the terminal needs for them.
func (s *Screen) line(before, text string, c Colour) {
	for i, piece := range s.fold(before + text) {
		plain := min(len(piece), len(before))
		if i > 0 {
			plain = len(foldMark)
		}
		s.write(piece[:plain] + s.paint(c, piece[plain:]) + "\n")
	}
}
