package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime"
)

// pruning is what prune is asked for.
type pruning struct {
	olderThan       string
	keep            int
	includeApplied  bool
	rejectionMemory string
}

func (s *session) pruneCommand() *cobra.Command {
	var p pruning
	c := &cobra.Command{
		Use: "prune [--older-than AGE] [--keep N]", Short: "Delete changes that are over", Args: none,
		Long: "prune deletes changes that are over, with their history: expired, rejected and no longer remembered, failed, and undone.\n" +
			"With --include-applied also those that were applied and cannot be undone any more. Nothing that waits, runs or is in\n" +
			"doubt is deleted. The file does not become smaller: the space is used again.",
		RunE: func(c *cobra.Command, _ []string) error {
			opts, err := p.options(c.Flags().Changed("keep"))
			if err != nil {
				return err
			}
			return s.work(c, func(ctx context.Context, d desk) error { return s.prune(ctx, d, opts) })
		},
	}
	flags := c.Flags()
	flags.StringVar(&p.olderThan, "older-than", "", "only changes that last moved longer ago than `AGE`, such as 30d")
	flags.IntVar(&p.keep, "keep", 0, "all but the newest `N` of them")
	flags.BoolVar(&p.includeApplied, "include-applied", false, "also applied changes that cannot be undone any more")
	flags.StringVar(&p.rejectionMemory, "rejection-memory", screen.Age(runtime.DefaultRejectionMemory), "how long rejected changes are kept: the `AGE` for which the servers remember them")
	return c
}

func (p pruning) options(keeps bool) (runtime.PruneOptions, error) {
	opts := runtime.PruneOptions{Keep: p.keep, IncludeApplied: p.includeApplied}
	switch {
	case p.olderThan == "" && !keeps:
		return opts, usageError{errors.New("say what to delete: give --older-than, --keep, or both")}
	case p.keep < 0:
		return opts, usageError{fmt.Errorf("--keep is %d: give a number of changes", p.keep)}
	}
	var err error
	if opts.OlderThan, err = age("older-than", p.olderThan); err != nil {
		return opts, err
	}
	opts.RejectionMemory, err = age("rejection-memory", p.rejectionMemory)
	if err == nil && opts.RejectionMemory == 0 {
		err = usageError{fmt.Errorf("--rejection-memory is %s: give how long the servers remember", p.rejectionMemory)}
	}
	return opts, err
}

func (s *session) prune(ctx context.Context, d desk, opts runtime.PruneOptions) error {
	n, err := d.operator.Rehearse().Prune(ctx, opts)
	if err != nil {
		return err
	}
	s.out.Line("%v to delete.", counted(n, "change")+" "+isOrAre(n))
	if n == 0 {
		return nil
	}
	if err := s.agreed(ctx, "Delete them for good?"); err != nil {
		return err
	}
	opts.Progress = func(done, of int) { s.err.Progress("%d of %d deleted", done, of) }
	n, err = d.operator.Prune(ctx, opts)
	s.err.Progress("")
	s.out.Line("Deleted %v.", counted(n, "change"))
	return err
}
