package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
)

func (s *session) backupCommand() *cobra.Command {
	return &cobra.Command{
		Use: "backup FILE", Short: "Write a copy of the ledger to a new file", Args: oneFile,
		Long: "backup writes a copy to a new file, checks it, and replaces nothing. The ledger can be used meanwhile. The key of\n" +
			"sensitive values beside the ledger is not in the copy: keep it apart.",
		RunE: func(c *cobra.Command, args []string) error {
			return s.look(c, func(ctx context.Context, d desk) error {
				copier, is := d.ledger.(interface {
					Backup(context.Context, string) error
				})
				if !is {
					return errDumped
				}
				if err := copier.Backup(ctx, args[0]); err != nil {
					return err
				}
				s.did("Wrote %v.", args[0])
				return nil
			})
		},
	}
}

// errDumped says how the other ledgers are saved.
var errDumped = errors.New("a ledger in PostgreSQL is saved with its database: pg_dump --schema and the name of its schema copies it alone")

// oneFile takes a path as the only argument.
func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usageError{errors.New("give the path of one new file")}
	}
	return nil
}
