package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"strings"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime"
)

// channel is how records name this program.
const channel = "changesetctl"

// session is one run: what it reads and writes, and the flags that all commands have.
type session struct {
	in       io.Reader
	out, err *screen.Screen
	getenv   func(string) string

	address string // of the ledger
	schema  string // in the database of the ledger
	as      string
	yes     bool

	done string // what was done, in a sentence
}

// desk is a ledger that is open, and who works on it.
type desk struct {
	ledger   book
	operator *runtime.Operator
	who      string
}

// work opens the ledger for one command that changes something, and closes it.
func (s *session) work(command *cobra.Command, do func(context.Context, desk) error) error {
	return s.open(command, false, do)
}

// look opens the ledger for one command that only reads, and closes it.
func (s *session) look(command *cobra.Command, do func(context.Context, desk) error) error {
	return s.open(command, true, do)
}

func (s *session) open(command *cobra.Command, looks bool, do func(context.Context, desk) error) (err error) {
	at, err := s.ledgerAddress()
	if err != nil {
		return err
	}
	ctx := command.Context()
	ledger, err := openLedger(ctx, at, looks, s.err)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ledger.Close()) }()
	role, err := ledger.role(ctx)
	if err != nil {
		return err
	}
	who := s.decider(role)
	operator, err := runtime.NewOperator(ledger, runtime.Decider{Name: who, Channel: channel})
	if err != nil {
		return usageError{fmt.Errorf("who decides: %w", err)} // the rest is given
	}
	return do(ctx, desk{ledger, operator, who})
}

// decider is who decides. A name that somebody gives themselves stands beside those that were given to them: of their user, and
// of their role in a database.
func (s *session) decider(role string) string {
	login := fmt.Sprintf("user %d", os.Getuid())
	if current, err := user.Current(); err == nil {
		login = current.Username
	}
	name, beside := login, []string{}
	if s.as != "" && s.as != login {
		name, beside = s.as, append(beside, login)
	}
	if role != "" {
		beside = append(beside, "role "+role)
	}
	if len(beside) == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s)", name, strings.Join(beside, ", "))
}

// canAsk tells whether there is somebody to ask.
func (s *session) canAsk() bool { return s.err.IsTerminal() && screen.CanAnswer(s.in) }

// stage is where is shown what a question is about: to whom it is asked, also where the output goes elsewhere.
func (s *session) stage() *screen.Screen {
	if !s.yes && !s.out.IsTerminal() && s.canAsk() {
		return s.err
	}
	return s.out
}

// did tells what was done.
func (s *session) did(format string, values ...any) {
	s.done = fmt.Sprintf(format, values...)
	s.out.Line(format, values...)
}

// unwritten is why the output is not complete, if that is not told already, with what was done all the same.
func (s *session) unwritten(told error) error {
	failure := s.out.Err()
	switch {
	case failure == nil, errors.Is(told, failure):
		return nil
	case s.done != "":
		return fmt.Errorf("%w; this was done: %s", failure, s.done)
	}
	return failure
}

// agreed asks whether to go on, having told what is to be done. It is nil for a yes.
func (s *session) agreed(ctx context.Context, question string) error {
	switch failure := s.stage().Err(); {
	case failure != nil:
		return fmt.Errorf("nothing was changed: what it is about could not be shown: %w", failure)
	case s.yes:
		return nil
	case !s.canAsk():
		s.err.Line("Nothing was changed: give --yes to do it without being asked.")
		return errNotAgreed
	}
	yes, err := s.err.Ask(ctx, s.in, question)
	if err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if !yes {
		s.err.Line("Nothing was changed.")
		return errNotAgreed
	}
	return nil
}
