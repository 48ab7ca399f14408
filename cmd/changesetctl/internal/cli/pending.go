package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime"
)

func (s *session) pendingCommand() *cobra.Command {
	var f filter
	c := &cobra.Command{
		Use: "pending", Short: "List what waits for a person, the oldest first", Args: none,
		Long: "pending shows the changes that wait for a person's yes, the undos that were asked for and wait for one, and the changes\n" +
			"in doubt, which wait for somebody to look at the target: a status with a ?.",
		RunE: func(c *cobra.Command, _ []string) error {
			return s.look(c, func(ctx context.Context, d desk) error {
				views, err := d.operator.Pending(ctx, runtime.PendingQuery{Server: f.server, Operation: f.operation})
				if err != nil {
					return err
				}
				if f.asJSON {
					return s.out.JSON(page(views, ""))
				}
				if len(views) == 0 {
					s.err.Line("Nothing waits for a person.")
					return nil
				}
				s.showTable(views)
				return nil
			})
		},
	}
	f.addTo(c)
	return c
}
