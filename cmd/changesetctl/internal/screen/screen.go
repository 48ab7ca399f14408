// Package screen writes for people: on a terminal in its width and with colours, and plainly anywhere else. Every text
// that it writes is made visible first, so that nothing in a ledger can move the cursor, change what stands before it, or
// pose as a line of its own. Where the text of a value must not be taken for that of another, see runtime.Textf.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"
)

// Screen is where a command writes. It keeps the first error, and writes nothing after it. What goes on behind the command may
// write lines to it, too.
type Screen struct {
	out      io.Writer
	terminal bool
	width    int  // of a terminal, in cells; 0: any
	moves    bool // the terminal knows how to go back in a line
	colours  bool
	told     time.Time // of progress, in a line of its own

	mu      sync.Mutex
	stands  bool // progress does, in the line where the next is written
	failure error
}

// defaultWidth is that of a terminal which does not tell.
const defaultWidth = 80

// New makes a screen of out. It is coloured on a terminal, unless the environment says NO_COLOR or TERM=dumb.
func New(out io.Writer, getenv func(string) string) *Screen {
	s := &Screen{out: out, told: time.Now()}
	f, ok := out.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return s
	}
	s.terminal, s.moves = true, getenv("TERM") != "dumb"
	s.colours = s.moves && getenv("NO_COLOR") == ""
	var err error
	if s.width, _, err = term.GetSize(int(f.Fd())); err != nil || s.width <= 0 {
		s.width = defaultWidth
	}
	return s
}

// IsTerminal tells whether somebody reads what is written.
func (s *Screen) IsTerminal() bool { return s.terminal }

// Err is the first error of writing.
func (s *Screen) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failure
}

// Line writes a line. Its verbs are all %v, and what the values hold is made visible.
func (s *Screen) Line(format string, values ...any) {
	texts := make([]any, len(values))
	for i, v := range values {
		texts[i] = visible(fmt.Sprint(v))
	}
	s.line("", fmt.Sprintf(format, texts...), Plain)
}

// Lines writes a text of several lines, each after indent. What is in a line is made visible; the breaks are the text's
// own, so the further lines are marked as parts of one text.
func (s *Screen) Lines(indent, text string) {
	for i, line := range strings.Split(text, "\n") {
		if i == 1 {
			indent += "  | "
		}
		s.line(indent, visible(line), Plain)
	}
}

// Row writes a row of a diff, which is visible already and may go on in lines with a margin of their own, after indent.
func (s *Screen) Row(indent, row string) {
	for line := range strings.SplitSeq(row, "\n") {
		words := strings.Split(line, " ") // by themselves: spaces that stand in it have been thought of
		for i := range words {
			words[i] = visible(words[i])
		}
		s.line(indent, strings.Join(words, " "), Plain)
	}
}

// Progress writes a line over the one that it wrote before; "" clears it, and so does whatever else is written. Where that
// cannot be, as in a log, it writes a line every ten seconds.
func (s *Screen) Progress(format string, values ...any) {
	text := fmt.Sprintf(format, values...)
	switch {
	case s.moves:
		s.replace(text)
	case text != "" && time.Since(s.told) >= progressPause:
		s.told = time.Now()
		s.line("", visible(text), Plain)
	}
}

const (
	clearLine     = "\r\x1b[K"
	progressPause = 10 * time.Second
)

// replace writes progress in place of what stands there of it.
func (s *Screen) replace(progress string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.send(clearLine + progress)
	s.stands = progress != ""
}

// write writes a text, in place of progress that stands there.
func (s *Screen) write(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stands {
		text, s.stands = clearLine+text, false
	}
	s.send(text)
}

// send is called with the screen locked.
func (s *Screen) send(text string) {
	if s.failure == nil {
		_, s.failure = io.WriteString(s.out, text)
	}
}
