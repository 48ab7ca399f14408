package cli

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func (s *session) approveCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "approve ID", Short: "Say yes to a change, or to an undo that was asked for", Args: oneID,
		Long: "approve shows the diff, asks, and says yes: to the apply of a change that waits, or to its undo that was asked for.\n" +
			"The agent can then carry it out, for as long as the approval lasts. A yes is given once.",
		RunE: func(c *cobra.Command, args []string) error {
			return s.decide(c, args[0], reason, (*runtime.Operator).Approve, "Approve")
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why: kept with the decision")
	return c
}

func (s *session) rejectCommand() *cobra.Command {
	var reason string
	c := &cobra.Command{
		Use: "reject ID --reason TEXT", Short: "Say no to a change, or to an undo that was asked for", Args: oneID,
		Long: "reject shows the diff, asks, and says no, after a yes as well, until the change is carried out. A no to an apply is\n" +
			"final. A no to an undo leaves the change applied. The agent is told the reason.",
		RunE: func(c *cobra.Command, args []string) error {
			if reason == "" {
				return usageError{errors.New("--reason is missing: the agent is told it")}
			}
			return s.decide(c, args[0], reason, (*runtime.Operator).Reject, "Reject")
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why: the agent is told")
	return c
}

// decision is a yes or a no of an operator.
type decision func(o *runtime.Operator, ctx context.Context, id string, what runtime.Awaits, reason string) (runtime.View, error)

// decide shows a change, asks, and decides on what was shown. What cannot be decided is told before anybody is asked.
func (s *session) decide(c *cobra.Command, id, reason string, decide decision, verb string) error {
	return s.work(c, func(ctx context.Context, d desk) error {
		v, err := d.operator.Get(ctx, id)
		if err != nil {
			return err
		}
		what := subject(v)
		if _, err := decide(d.operator.Rehearse(), ctx, id, what, reason); err != nil {
			return err
		}
		s.change(v)
		if err := s.agreed(ctx, verb+" the "+string(what)+" of "+id+" as "+d.who+"?"); err != nil {
			return err
		}
		v, err = decide(d.operator, ctx, id, what, reason)
		if err != nil {
			return err
		}
		s.decided(v, what)
		return nil
	})
}

// subject is what a decision on a change can be about.
func subject(v runtime.View) runtime.Awaits {
	if v.Status == ledger.Applied {
		return runtime.AwaitsUndo
	}
	return runtime.AwaitsApply
}

// verdictText is a decision in the words of the commands.
func verdictText(d *ledger.Decision) string {
	if isYes(d) {
		return "approved"
	}
	return "rejected"
}

// decided says what follows from a decision.
func (s *session) decided(v runtime.View, what runtime.Awaits) {
	given := v.Decision
	if what == runtime.AwaitsUndo {
		given = v.UndoDecision
	}
	s.out.Line("The %v of %v is %v.", string(what), v.ID, verdictText(given))
	switch {
	case !isYes(given) && what == runtime.AwaitsUndo:
		s.out.Line("The change stays applied.")
	case !isYes(given):
	case what == runtime.AwaitsUndo:
		s.out.Line("The agent has to call the undo again.")
	default:
		s.out.Line("The agent can apply it until %v.", timestamp(v.ExpiresAt))
	}
}
