package cli

import (
	"context"
	"errors"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// backupEnding is where the copy of a ledger goes that is migrated, if nobody says.
const backupEnding = ".backup"

func (s *session) migrateCommand() *cobra.Command {
	var backup string
	c := &cobra.Command{
		Use: "migrate [--backup FILE]", Short: "Make a ledger of an earlier version one of this version", Args: none,
		Long: "migrate makes a ledger that an earlier version made, and that this one refuses for it, one that it takes. It first writes\n" +
			"a copy of the ledger as it is. Stop every server that uses the ledger before. Most versions need none of it: what they\n" +
			"add is added when the ledger is opened.",
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := s.ledgerAddress()
			switch {
			case err != nil:
				return err
			case at.file == "":
				return errEvolved
			case backup == "":
				backup = at.file + backupEnding
			}
			return s.migrate(c.Context(), at.file, backup)
		},
	}
	c.Flags().StringVar(&backup, "backup", "", "the new `FILE` of the copy (default the ledger's with "+backupEnding+")")
	return s.asking(c)
}

// errEvolved says how the other ledgers become those of this version.
var errEvolved = errors.New("a ledger in PostgreSQL is not migrated by hand: what a version adds is added when its server, or changesetctl, opens it to write")

func (s *session) migrate(ctx context.Context, file, backup string) error {
	log := slog.New(warner{s.err})
	opened, err := openFile(ctx, file, false, log)
	switch {
	case err == nil:
		s.out.Line("The ledger needs no migration.")
		return opened.Close()
	case !errors.Is(err, sqlite.ErrEarlier):
		return err
	}
	s.stage().Line("The ledger %v is to be migrated. First it is copied to %v.", file, backup)
	s.stage().Line("It is refused as it is: %v", oneLine(err.Error()))
	if err := s.agreed(ctx, "Are all servers that use it stopped, and is it to be migrated?"); err != nil {
		return err
	}
	if err := sqlite.Migrate(ctx, file, backup, sqlite.WithLogger(log)); err != nil {
		return err
	}
	s.did("Migrated. What it was before is in %v.", backup)
	if opened, err = openFile(ctx, file, false, log); err != nil {
		return err
	}
	return opened.Close()
}
