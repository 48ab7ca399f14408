package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
)

func (s *session) statsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use: "stats", Short: "Count what is in the ledger", Args: none,
		RunE: func(c *cobra.Command, _ []string) error {
			return s.look(c, func(ctx context.Context, d desk) error { return s.stats(ctx, d, asJSON) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write JSON, for programs")
	return c
}

func (s *session) stats(ctx context.Context, d desk, asJSON bool) error {
	found, err := d.ledger.census(ctx)
	if err != nil {
		return err
	}
	if asJSON {
		return s.out.JSON(found.whole)
	}
	clock, err := d.ledger.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the clock of the ledger: %w", err)
	}
	columns := []screen.Column{{Head: "SERVER", Min: minName}, {Head: "OPERATION", Min: minName}, {Head: "STATUS"}, {Head: "CHANGES"}, {Head: "OLDEST"}, {Head: "NEWEST"}}
	rows := make([][]screen.Cell, len(found.groups))
	for i, g := range found.groups {
		rows[i] = []screen.Cell{
			{Text: g.Server}, {Text: g.Operation}, {Text: string(g.Status)}, {Text: strconv.Itoa(g.Changes)},
			{Text: screen.Age(clock.Now.Sub(g.Oldest))}, {Text: screen.Age(clock.Now.Sub(g.Newest))},
		}
	}
	s.out.Table(columns, rows)
	s.out.Line("%v.", found.takes)
	return nil
}
