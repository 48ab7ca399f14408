package screen

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Ask asks a question that is answered with yes or no, on s, and reads the answer from in. Anything but yes is a no, and
// so is no answer. What was typed at a terminal before the question is none.
func (s *Screen) Ask(ctx context.Context, in io.Reader, question string) (bool, error) {
	if f, ok := in.(*os.File); ok && CanAnswer(in) {
		if err := forgetTyped(f.Fd()); err != nil {
			return false, err
		}
	}
	s.write(strings.Join(s.fold(visible(question)+" [y/N] "), "\n"))
	if err := s.Err(); err != nil {
		return false, err
	}
	answers := make(chan string, 1)
	failures := make(chan error, 1)
	go func() { // a read of a terminal cannot be interrupted
		line, err := bufio.NewReader(in).ReadString('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			failures <- err
			return
		}
		answers <- line
	}()
	select {
	case <-ctx.Done():
		s.write("\n")
		return false, ctx.Err()
	case err := <-failures:
		return false, err
	case line := <-answers:
		if !strings.HasSuffix(line, "\n") {
			s.write("\n") // the answer ended without a line
		}
		answer := strings.ToLower(strings.TrimSpace(line))
		return answer == "y" || answer == "yes", nil
	}
}

// CanAnswer tells whether somebody can answer at in.
func CanAnswer(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
