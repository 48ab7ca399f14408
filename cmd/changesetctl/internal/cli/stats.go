package cli

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
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
	m, err := d.ledger.Stats(ctx)
	if err != nil {
		return err
	}
	m.Groups = append([]sqlite.Group{}, m.Groups...) // for programs: none is a list too
	if asJSON {
		return s.out.JSON(m)
	}
	clock, err := d.ledger.Now(ctx)
	if err != nil {
		return fmt.Errorf("read the clock of the ledger: %w", err)
	}
	columns := []screen.Column{{Head: "SERVER", Min: minName}, {Head: "OPERATION", Min: minName}, {Head: "STATUS"}, {Head: "CHANGES"}, {Head: "OLDEST"}, {Head: "NEWEST"}}
	rows := make([][]screen.Cell, len(m.Groups))
	for i, g := range m.Groups {
		rows[i] = []screen.Cell{
			{Text: g.Server}, {Text: g.Operation}, {Text: string(g.Status)}, {Text: strconv.Itoa(g.Changes)},
			{Text: screen.Age(clock.Now.Sub(g.Oldest))}, {Text: screen.Age(clock.Now.Sub(g.Newest))},
		}
	}
	s.out.Table(columns, rows)
	s.out.Line("%v since the ledger was made; %v of file (%v free to be used again), %v of log.",
		plural.Of(int(m.Writes), "write"), kilobytes(m.FileBytes), kilobytes(m.FreeBytes), kilobytes(m.LogBytes))
	return nil
}

func kilobytes(n int64) string { return fmt.Sprintf("%d KiB", n/1024) }
