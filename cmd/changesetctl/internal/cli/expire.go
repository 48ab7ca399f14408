package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/internal/plural"
)

func (s *session) expireCommand() *cobra.Command {
	return s.asking(&cobra.Command{
		Use: "expire", Short: "Close what is over", Args: none,
		Long: "expire writes down which changes were not applied in their time, and takes back requests for an undo that came to\n" +
			"nothing. They count as expired without it.",
		RunE: func(c *cobra.Command, _ []string) error { return s.work(c, s.expire) },
	})
}

func (s *session) expire(ctx context.Context, d desk) error {
	n, err := d.operator.Rehearse().Expire(ctx)
	if err != nil && n == 0 {
		return err
	}
	if n == 0 {
		s.out.Line("Nothing is over that is not closed.")
		return nil
	}
	s.stage().Line("To close, because the time is over: %v.", plural.Of(n, "change"))
	if err := s.agreed(ctx, "Close them?"); err != nil {
		return err
	}
	n, err = d.operator.Expire(ctx) // which tells again of what cannot be closed
	s.did("Closed %v.", plural.Of(n, "change"))
	return err
}
