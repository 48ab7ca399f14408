package program_test

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/bench/internal/program"
)

// childArgument has this test be a command, of which the next arguments are the flags.
const childArgument = "command"

func TestMain(m *testing.M) {
	if len(os.Args) < 2 || os.Args[1] != childArgument {
		os.Exit(m.Run())
	}
	program.Main("measure", func(_ context.Context, args []string) error {
		var s program.Settings
		return s.Parse(flag.NewFlagSet("measure", flag.ContinueOnError), args[1:])
	})
}

// TestHelpIsNoFailure runs a command.
func TestHelpIsNoFailure(t *testing.T) {
	t.Parallel()
	for flags, want := range map[string]struct {
		status int
		said   string
	}{
		"-h":        {0, "how often each is measured"},
		"-rounds=2": {0, ""},
		"-rounds=0": {1, "measure: -rounds must be 1 or more"},
	} {
		said, err := exec.CommandContext(t.Context(), os.Args[0], childArgument, flags).CombinedOutput()
		status := 0
		if exit := new(exec.ExitError); errors.As(err, &exit) {
			status = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		if status != want.status || !strings.Contains(string(said), want.said) {
			t.Errorf("%s: it ends with %d and says %q", flags, status, said)
		}
	}
}
