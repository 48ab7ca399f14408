package emit

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/dave/jennifer/jen"
)

// docWidth is where lines of a comment are broken, in characters.
const docWidth = 110

// docLines makes the lines of a doc comment. Each paragraph begins a new line and is broken at docWidth, but only before
// a word that begins with a letter: a dash, a number or a sign at the beginning of a line means something to gofmt.
func docLines(paragraphs []string) []string {
	var lines []string
	for _, p := range paragraphs {
		line, width := "", 0
		for _, word := range words(p) {
			size := len(" ") + utf8.RuneCountInString(word)
			if first, _ := utf8.DecodeRuneInString(word); width > 0 && width+size > docWidth && unicode.IsLetter(first) {
				lines = append(lines, line)
				line, width = "", 0
			}
			if line == "" {
				line = "//"
			}
			line += " " + word
			width += size
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// lineComment makes a comment of one line.
func lineComment(text string) string { return "// " + strings.Join(words(text), " ") }

// typographic are the quotes that gofmt rewrites in a doc comment, one pair in each run.
var typographic = strings.NewReplacer("``", "“", "''", "”")

// words are the words of a comment, as gofmt leaves them. A beginning that would make it a build constraint or the
// definition of a link is escaped.
func words(text string) []string {
	text = strings.TrimSpace(typographic.Replace(visible(text)))
	isLink := strings.HasPrefix(text, "[") && strings.Contains(text, "]:")
	if isLink || strings.HasPrefix(text, "+build") {
		text = `\` + text
	}
	return strings.Fields(text)
}

// visible writes out the characters that may not stand in Go source or would not be seen there. White space is kept.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case unicode.IsPrint(r), unicode.IsSpace(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
		}
	}
	return b.String()
}

// String is s as a literal in double quotes.
func String(s string) Expr {
	quoted := strconv.Quote(s)
	return Expr{width: utf8.RuneCountInString(quoted), build: func(*uses) *jen.Statement { return jen.Op(quoted) }}
}

// maxJoined is how many literals are joined: the formatter's time grows with the square of them.
const maxJoined = 500

// Text is s as literals in double quotes: one for each of its lines, joined, or a single one if there are too many.
func Text(s string) Expr {
	lines := strings.SplitAfter(s, "\n")
	if len(lines) > 1 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) > maxJoined {
		return String(s)
	}
	return Expr{build: func(u *uses) *jen.Statement {
		joined := String(lines[0]).build(u)
		for _, line := range lines[1:] {
			joined.Op("+").Line().Add(String(line).build(u))
		}
		return joined
	}}
}

// Raw is s as a literal in backquotes, as a person would write a query, if such a literal can hold s and would show all
// of it; otherwise it is Text.
func Raw(s string) Expr {
	for _, r := range s {
		shown := unicode.IsPrint(r) || r == '\n' || r == '\t'
		if r == '`' || r == utf8.RuneError || !shown {
			return Text(s)
		}
	}
	return Expr{build: func(*uses) *jen.Statement { return jen.Op("`" + s + "`") }}
}

// tag is the literal of a struct tag with one key.
func tag(key, value string) string {
	pair := fmt.Sprintf("%s:%s", key, strconv.Quote(value))
	if strings.Contains(pair, "`") {
		return strconv.Quote(pair)
	}
	return "`" + pair + "`"
}
