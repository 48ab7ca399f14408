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

// Write prints the list for people: each diagnostic on a line, then the line of the source and a caret below it.
// Sources are the files by the names that the positions hold; a line that is not in them is left out.
func (l List) Write(w io.Writer, sources map[string][]byte) error {
	lines := make(map[string][][]byte, len(sources))
	for name, src := range sources {
		lines[name] = bytes.Split(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\n"))
	}
	for _, d := range l {
		if _, err := fmt.Fprintln(w, d); err != nil {
			return err
		}
		file := lines[d.Pos.File]
		if d.Pos.Line < 1 || d.Pos.Line > len(file) {
			continue
		}
		text, caret := excerpt(string(file[d.Pos.Line-1]), d.Pos.Column)
		if _, err := fmt.Fprintf(w, "    %s\n    %s\n", text, caret); err != nil {
			return err
		}
	}
	return nil
}

// excerpt is the part of a line around a column, and a line with a caret under that column.
func excerpt(line string, column int) (text, caret string) {
	runes := []rune(strings.TrimRight(line, "\r"))
	at := min(max(column-1, 0), len(runes))
	from, to := 0, len(runes)
	if len(runes) > shownRunes {
		from = max(0, min(at-shownRunes/2, len(runes)-shownRunes))
		to = from + shownRunes
	}
	var shown, below strings.Builder
	if from > 0 {
		shown.WriteString(ellipsis)
		below.WriteByte(' ')
	}
	for i, r := range runes[from:to] {
		shown.WriteRune(printable(r))
		if from+i < at {
			below.WriteRune(blank(r))
		}
	}
	if to < len(runes) {
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
