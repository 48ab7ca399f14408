// Package cli is the command line of changesetctl as a function: arguments in, text and an exit code out.
package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

// The exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // of every error, and of a check that found something wrong
	exitUndone = 2 // nothing was changed, because nobody said yes
)

// Streams are what a run reads and writes.
type Streams struct {
	In       io.Reader // answers are read from a terminal only
	Out, Err io.Writer
	Getenv   func(string) string
}

var (
	// errNotAgreed says that the command did nothing, because nobody said yes. That was told already.
	errNotAgreed = errors.New("nothing was changed")
	// errFound says that a check found something wrong, which was told already.
	errFound = errors.New("something is wrong")
)

// usageError is an error in the arguments.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Main runs the command line of this process. An interrupt ends what is under way in good order, and a second one at once.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	context.AfterFunc(ctx, stop)
	return Run(ctx, os.Args[1:], Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv})
}

// Run does what args, without the name of the program, ask for and returns the exit code.
func Run(ctx context.Context, args []string, streams Streams) int {
	s := &session{
		in: streams.In, out: screen.New(streams.Out, streams.Getenv), err: screen.New(streams.Err, streams.Getenv),
		getenv: streams.Getenv,
	}
	root := s.root(streams)
	root.SetArgs(args)
	command, err := root.ExecuteContextC(ctx)
	return s.end(command, errors.Join(err, s.unwritten(err)))
}

// end tells of an error, and what exit code it has.
func (s *session) end(command *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	if untold := withoutTold(err); untold != nil {
		s.err.Line("changesetctl: %v", oneLine(untold.Error()))
	}
	var usage usageError
	switch {
	case errors.Is(err, errNotAgreed):
		return exitUndone
	case errors.As(err, &usage):
		s.err.Line("Run '%v --help' for usage.", command.CommandPath())
	}
	return exitFailed
}

// withoutTold is what an error says besides what the command has told already; nil for nothing.
func withoutTold(err error) error {
	if !errors.Is(err, errNotAgreed) && !errors.Is(err, errFound) {
		return err
	}
	several, _ := err.(interface{ Unwrap() []error })
	if several == nil {
		return nil
	}
	var untold []error
	for _, each := range several.Unwrap() {
		untold = append(untold, withoutTold(each))
	}
	return errors.Join(untold...)
}

// lines are what the lines of one error, or of several, begin with.
var lines = strings.NewReplacer(":\n\t", ": ", "\n\t", "; ", "\n", "; ")

// oneLine joins the lines of errors.
func oneLine(text string) string { return lines.Replace(text) }

// version is that of the module the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(unknown version)"
	}
	return info.Main.Version
}
