package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// indent is what everything under a title begins with.
const indent = "   "

// width is where long lines of an answer are broken.
const width = 100

// token matches what is not shown in full; its first characters are enough to tell it from another.
var token = regexp.MustCompile(`((?:confirm|undo)_[A-Za-z0-9_-]{4})[A-Za-z0-9_-]{12,}`)

// moment matches a line of an answer that holds nothing but a time, which no step is about.
var moment = regexp.MustCompile(`^[a-z_]+: \d{4}-\d{2}-\d{2}T`)

// screen prints what happens for a person to read.
type screen struct{ out io.Writer }

// legend says how to read the rest.
func (s *screen) legend() {
	fmt.Fprintln(s.out, "> is what the client sends, | what the server answers, ✓ what was checked then. Tokens are cut, lines that hold nothing but a time left out.")
}

// title begins a step.
func (s *screen) title(number int, text string) { fmt.Fprintf(s.out, "\n%d. %s\n", number, text) }

// note says something in passing.
func (s *screen) note(text string) { fmt.Fprintf(s.out, "%s%s\n", indent, text) }

// list says some names in passing, as many in a line as fit.
func (s *screen) list(names []string) {
	line := ""
	for _, name := range names {
		if line != "" && len(line)+len(name) > width {
			s.note(line)
			line = ""
		}
		if line != "" {
			line += "  "
		}
		line += name
	}
	s.note(line)
}

// command shows a command as it would be typed.
func (s *screen) command(words ...string) { s.note("$ " + strings.Join(words, " ")) }

// request shows a call of a tool.
func (s *screen) request(tool string, arguments any) error {
	text, err := json.Marshal(arguments)
	if err != nil {
		return fmt.Errorf("show the arguments of %s: %w", tool, err)
	}
	s.note("> " + tool + " " + shorten(string(text)))
	return nil
}

// reply shows the text that a tool answered with.
func (s *screen) reply(text string) {
	for line := range strings.SplitSeq(shorten(text), "\n") {
		if moment.MatchString(line) {
			continue
		}
		for _, part := range wrap(line) {
			s.note(strings.TrimRight("| "+part, " "))
		}
	}
}

// print shows what a command printed, as it stands.
func (s *screen) print(text string) {
	for line := range strings.Lines(text) {
		s.note(strings.TrimRight(line, " \n"))
	}
}

// checked says what was found to be so.
func (s *screen) checked(format string, values ...any) {
	s.note("✓ " + fmt.Sprintf(format, values...))
}

// shorten cuts tokens.
func shorten(text string) string { return token.ReplaceAllString(text, "$1…") }

// wrap breaks a line between words.
func wrap(line string) []string {
	var parts []string
	for len(line) > width {
		end := strings.LastIndexByte(line[:width], ' ')
		if end <= 0 {
			break
		}
		parts = append(parts, line[:end])
		line = "  " + line[end+1:]
	}
	return append(parts, line)
}
