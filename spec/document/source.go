package document

import (
	"strings"
	"unicode/utf8"
)

// source is the text of a file by its lines.
type source struct {
	lines []string // without their line breaks
	plain []bool   // of each line: every character is one byte, so that a column need not be searched for
}

func newSource(src []byte) *source {
	s := &source{lines: splitLines(src)}
	for _, line := range s.lines {
		s.plain = append(s.plain, utf8.RuneCountInString(line) == len(line))
	}
	return s
}

// from is the rest of a line, which counts from 1, from a column on; "" if there is no such line.
func (s *source) from(line, column int) string {
	switch {
	case s == nil || line < 1 || line > len(s.lines):
		return ""
	case s.plain[line-1]:
		text := s.lines[line-1]
		return text[min(max(column-1, 0), len(text)):]
	default:
		return fromColumn(s.lines[line-1], column)
	}
}

func splitLines(src []byte) []string {
	lines := strings.Split(string(src), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// fromColumn is the rest of a line from a column, which counts characters from 1.
func fromColumn(line string, column int) string {
	for ; column > 1 && line != ""; column-- {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}
