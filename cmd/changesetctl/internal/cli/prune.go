package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// pruning is what prune is asked for.
type pruning struct {
	olderThan       string
	keep            int
	includeApplied  bool
	rejectionMemory string
	limitMemory     string
}

func (s *session) pruneCommand() *cobra.Command {
	var p pruning
	c := &cobra.Command{
		Use: "prune [--older-than AGE] [--keep N]", Short: "Delete changes that are over", Args: none,
		Long: "prune deletes changes that are over, with their history: expired, rejected and no longer remembered, failed, and undone.\n" +
			"With --include-applied also those that were applied and cannot be undone any more. Nothing that waits, runs or is in\n" +
			"doubt is deleted, and nothing that was carried out so lately that a limit may count it. The file does not become\n" +
			"smaller: the space is used again.",
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
	flags.StringVar(&p.limitMemory, "limit-memory", screen.Age(runtime.DefaultLimitMemory), "how long changes are kept that were carried out: the longest `AGE` over which a limit of the servers counts")
	return s.asking(c)
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
	switch {
	case err != nil:
		return opts, err
	case opts.RejectionMemory == 0:
		return opts, usageError{fmt.Errorf("--rejection-memory is %s: give how long the servers remember", p.rejectionMemory)}
	}
	opts.LimitMemory, err = age("limit-memory", p.limitMemory)
	if err == nil && opts.LimitMemory == 0 {
		err = usageError{fmt.Errorf("--limit-memory is %s: give the longest time that a limit of the servers counts over", p.limitMemory)}
	}
	return opts, err
}

func (s *session) prune(ctx context.Context, d desk, opts runtime.PruneOptions) error {
	plan, err := d.operator.Rehearse().Prune(ctx, opts)
	if err != nil {
		return err
	}
	if plan.Changes == 0 {
		s.out.Line("Nothing is to be deleted.")
		showSpared(s.out, plan.Spared, opts)
		return nil
	}
	showPlan(s.stage(), plan)
	showSpared(s.stage(), plan.Spared, opts)
	if err := s.agreed(ctx, "Delete them for good?"); err != nil {
		return err
	}
	opts.Within = &plan // what was agreed to
	opts.Progress = func(done, of int) { s.err.Progress("%d of %d deleted", done, of) }
	deleted, err := d.operator.Prune(ctx, opts)
	s.err.Progress("")
	s.did("Deleted %v.", plural.Of(deleted.Changes, "change"))
	return err
}

// showPlan tells what would be deleted.
func showPlan(to *screen.Screen, plan runtime.Pruned) {
	to.Line("To delete: %v, made from %v to %v.", plural.Of(plan.Changes, "change"), timestamp(plan.Oldest), timestamp(plan.Newest))
	for _, status := range statuses {
		if n := plan.ByStatus[ledger.Status(status)]; n > 0 {
			to.Line("%v%v %v", indent, n, status)
		}
	}
	first := strings.Join(plan.First, ", ")
	if more := plan.Changes - len(plan.First); more > 0 {
		first += " and " + strconv.Itoa(more) + " more"
	}
	to.Line("%v%v", indent, first)
}

// showSpared tells what is over and stays, and what would change that.
func showSpared(to *screen.Screen, spared runtime.Spared, opts runtime.PruneOptions) {
	lines := []struct {
		n   int
		why string
	}{
		{spared.Young, "moved too lately (--older-than " + screen.Age(opts.OlderThan) + ")"},
		{spared.Remembered, "rejected, and may still be remembered (--rejection-memory " + screen.Age(opts.RejectionMemory) + ")"},
		{spared.Counted, "carried out so lately that a limit may count it (--limit-memory " + screen.Age(opts.LimitMemory) + ")"},
		{spared.Applied, "applied (--include-applied)"},
		{spared.Undoable, "applied, and can still be undone"},
		{spared.Kept, "of the newest (--keep " + strconv.Itoa(opts.Keep) + ")"},
	}
	head := "What is over and stays:"
	for _, l := range lines {
		if l.n == 0 {
			continue
		}
		if head != "" {
			to.Line("%v", head)
			head = ""
		}
		to.Line("%v%v %v", indent, l.n, l.why)
	}
}
