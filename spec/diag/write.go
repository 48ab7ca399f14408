package diag

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownRunes bounds how much of a source line is shown, so that a spec written on one line stays readable.
const shownRunes = 140

// ellipsis stands for what is left out of a long line.
const ellipsis = "…"

// String is the diagnostic on one line: file:line:col: where: message (hint) [code].
func (d Diagnostic) String() string {
	var b strings.Builder
	b.WriteString(d.Pos.String())
	if d.Where != "" {
		b.WriteString(d.Where + ": ")
	}
	b.WriteString(d.Message)
	if d.Hint != "" {
		b.WriteString(" (" + d.Hint + ")")
	}
	b.WriteString(" [" + d.Code + "]")
	return b.String()
}

// String is the place as a prefix: file:line:col and a colon, as far as it is known.
func (p Pos) String() string {
	switch {
	case p.Line > 0:
		return fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	case p.File != "":
		return p.File + ": "
	default:
		return ""
	}
}

// shownFaults bounds how many diagnostics are printed. Nobody reads more of them, and most follow from a few.
const shownFaults = 1000

// Write prints the list for people: each diagnostic on a line, then the line of the source and a caret below it. After
// the first thousand it says how many are left out. Sources are the files by the names that the positions hold; a line
// that is not in them is left out.
func (l List) Write(w io.Writer, sources map[string][]byte) error {
	e := excerpts{files: make(map[string][][]byte, len(sources))}
	for name, src := range sources {
		e.files[name] = bytes.Split(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\n"))
	}
	for _, d := range l[:min(len(l), shownFaults)] {
		if _, err := fmt.Fprintf(w, "%s\n%s", d, e.of(d.Pos)); err != nil {
			return err
		}
	}
	if left := len(l) - shownFaults; left > 0 {
		if _, err := fmt.Fprintf(w, "and %d more, which are shown when these are mended\n", left); err != nil {
			return err
		}
	}
	return nil
}

// excerpts gives the lines that diagnostics are about. It keeps the last one, because the next is often about it too.
type excerpts struct {
	files map[string][][]byte
	last  Pos // of the line that is kept
	line  []rune
}

// of is the line of a place and a line with a caret below it, indented; "" if the line is not there.
func (e *excerpts) of(p Pos) string {
	file := e.files[p.File]
	if p.Line < 1 || p.Line > len(file) {
		return ""
	}
	if e.last.File != p.File || e.last.Line != p.Line {
		e.last, e.line = p, []rune(string(bytes.TrimRight(file[p.Line-1], "\r")))
	}
	text, caret := excerpt(e.line, p.Column)
	return fmt.Sprintf("    %s\n    %s\n", text, caret)
}

// excerpt is the part of a line around a column, and a line with a caret under that column.
func excerpt(line []rune, column int) (text, caret string) {
	at := min(max(column-1, 0), len(line))
	from, to := 0, len(line)
	if len(line) > shownRunes {
		from = max(0, min(at-shownRunes/2, len(line)-shownRunes))
		to = from + shownRunes
	}
	var shown, below strings.Builder
	if from > 0 {
		shown.WriteString(ellipsis)
		below.WriteByte(' ')
	}
	for i, r := range line[from:to] {
		shown.WriteRune(printable(r))
		if from+i < at {
			below.WriteRune(blank(r))
		}
	}
	if to < len(line) {
		shown.WriteString(ellipsis)
	}
	return shown.String(), below.String() + "^"
}

// printable keeps a source from steering the terminal it is shown on.
func printable(r rune) rune {
	if r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return utf8.RuneError
}

// blank is what stands below a rune: a tab keeps the caret in its column.
func blank(r rune) rune {
	if r == '\t' {
		return '\t'
	}
	return ' '
}
