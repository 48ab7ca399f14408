//go:build unix

package screen_test

import (
	"bufio"
	"strings"
	"testing"

	"github.com/creack/pty"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

// TestALineBesideProgressStandsByItself has what goes on behind a command warn while the terminal shows how far that is.
func TestALineBesideProgressStandsByItself(t *testing.T) {
	t.Parallel()
	seen, terminal, err := pty.Open()
	if err != nil {
		t.Fatalf("open a terminal: %v", err)
	}
	defer seen.Close()
	defer terminal.Close()
	s := screen.New(terminal, noEnvironment)
	s.Progress("%d of 3 deleted", 1)
	s.Line("a warning")
	s.Line("another")
	s.Progress("%d of 3 deleted", 2)
	s.Progress("")
	s.Line("the end")
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	const cleared = "\r\x1b[K"
	lines := bufio.NewReader(seen)
	for _, want := range []string{cleared + "1 of 3 deleted" + cleared + "a warning", "another", cleared + "2 of 3 deleted" + cleared + "the end"} {
		line, err := lines.ReadString('\n')
		if got := strings.TrimSuffix(line, "\r\n"); err != nil || got != want {
			t.Errorf("a line is %q (%v), want %q", got, err, want)
		}
	}
}
