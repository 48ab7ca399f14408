package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func (s *session) pendingCommand() *cobra.Command {
	var f filter
	c := &cobra.Command{
		Use: "pending", Short: "List what waits for a person, the oldest first", Args: none,
		Long: "pending shows the changes that wait for a person's yes, the undos that were asked for and wait for one, and the changes\n" +
			"in doubt, which wait for somebody to look at the target: a status with a ?. What joined operations left waits for a server.",
		RunE: func(c *cobra.Command, _ []string) error {
			return s.look(c, func(ctx context.Context, d desk) error {
				views, err := d.operator.Pending(ctx, runtime.PendingQuery{Server: f.server, Operation: f.operation})
				switch {
				case err != nil && !errors.Is(err, ledger.ErrStopped):
					return err
				case f.asJSON:
					return errors.Join(s.out.JSON(page(views, "")), err)
				case len(views) > 0:
					s.showTable(views)
				case err == nil:
					s.err.Line("Nothing waits for a person.")
				}
				return err
			})
		},
	}
	f.addTo(c)
	return c
}
