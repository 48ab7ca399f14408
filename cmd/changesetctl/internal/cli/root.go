package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// ledgerVariable names the ledger where --ledger does not.
const ledgerVariable = "CHANGESET_LEDGER"

const about = `changesetctl looks after a ledger of changes: it shows what agents proposed and
what became of it, approves and rejects, settles what is in doubt, and clears
away what is over.

Commands that change something show what, and ask on a terminal; --yes answers.
Without either they do nothing. No command makes a ledger, or prints a token.

Exit codes: 0 done, 1 an error, or a check that found something wrong, 2 nothing
was changed because nobody said yes.`

// root is the whole command line.
func (s *session) root(streams Streams) *cobra.Command {
	root := &cobra.Command{
		Use: "changesetctl", Long: about, Version: version(),
		SilenceErrors: true, SilenceUsage: true,
		Args: unknownCommand,
		RunE: func(*cobra.Command, []string) error { return usageError{errors.New("no command is given")} },
	}
	root.SetOut(streams.Out)
	root.SetErr(streams.Err)
	root.SetVersionTemplate("{{.Name}} {{.Version}}\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	flags := root.PersistentFlags()
	flags.StringVar(&s.address, "ledger", "", "the file of the ledger, or its `ADDRESS` in PostgreSQL, as postgres://… (default $"+ledgerVariable+")")
	flags.StringVar(&s.schema, "schema", "", "the `NAME` of the schema of a ledger in PostgreSQL (default "+postgres.DefaultSchema+")")
	root.AddCommand(
		s.listCommand(), s.showCommand(), s.pendingCommand(),
		s.approveCommand(), s.rejectCommand(), s.undoCommand(), s.reconcileCommand(),
		s.expireCommand(), s.pruneCommand(),
		s.statsCommand(), s.checkCommand(), s.backupCommand(), s.migrateCommand(),
		s.versionCommand(),
	)
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil && c != root {
		c.Args, c.RunE = oneShell, func(*cobra.Command, []string) error { return oneShell(nil, nil) }
	}
	return root
}

// oneShell refuses what no command of a shell below completion took.
func oneShell(*cobra.Command, []string) error {
	return usageError{errors.New("name one shell: bash, zsh, fish or powershell")}
}

// changing adds the flags of commands that change something.
func (s *session) changing(c *cobra.Command) *cobra.Command {
	c.Flags().StringVar(&s.as, "as", "", "the `NAME` of who decides, which is kept beside that of the user of the system")
	return s.asking(c)
}

// asking adds the flag of commands that ask before they write.
func (s *session) asking(c *cobra.Command) *cobra.Command {
	c.Flags().BoolVar(&s.yes, "yes", false, "do it without asking")
	return c
}

func (s *session) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: none,
		Run: func(c *cobra.Command, _ []string) { s.out.Line("%v %v", c.Root().Name(), version()) },
	}
}

// unknownCommand refuses what is no command, with those that are like it.
func unknownCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	err := fmt.Errorf("unknown command %q", args[0])
	root.SuggestionsMinimumDistance = suggestionDistance
	if near := root.SuggestionsFor(args[0]); len(near) > 0 {
		err = fmt.Errorf("%w (did you mean %s?)", err, strings.Join(near, " or "))
	}
	return usageError{err}
}

// suggestionDistance is how many letters a mistyped command may differ in.
const suggestionDistance = 2

// oneID takes the id of a change as the only argument.
func oneID(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{errors.New("give the id of one change")}
	}
	return nil
}

// none takes no arguments.
func none(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("unexpected argument %q", args[0])}
	}
	return nil
}
