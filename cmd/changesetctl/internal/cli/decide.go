package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime"
)

func (s *session) approveCommand() *cobra.Command {
	var d deciding
	c := &cobra.Command{
		Use: "approve [--undo] ID", Short: "Say yes to a change, or to an undo that was asked for", Args: oneID,
		Long: "approve shows the diff, asks, and says yes: to the apply of a change that waits, or with --undo to an undo that was\n" +
			"asked for, of which it shows what that would write. The agent can then carry it out, for as long as the approval lasts.\n" +
			"A yes is given once.",
		RunE: func(c *cobra.Command, args []string) error {
			d.verb, d.decide = "approve", (*runtime.Operator).Approve
			return s.decide(c, args[0], d)
		},
	}
	c.Flags().StringVar(&d.reason, "reason", "", "why, as `TEXT`: kept with the decision")
	d.addTo(c)
	return s.changing(c)
}

func (s *session) rejectCommand() *cobra.Command {
	var d deciding
	c := &cobra.Command{
		Use: "reject [--undo] ID --reason TEXT", Short: "Say no to a change, or to an undo that was asked for", Args: oneID,
		Long: "reject shows the diff, asks, and says no, after a yes as well, until the change is carried out. A no to an apply is\n" +
			"final. With --undo it says no to an undo that was asked for, and the change stays applied. The agent is told the reason.",
		RunE: func(c *cobra.Command, args []string) error {
			if d.reason == "" {
				return usageError{errors.New("--reason is missing: the agent is told it")}
			}
			d.verb, d.decide = "reject", (*runtime.Operator).Reject
			return s.decide(c, args[0], d)
		},
	}
	c.Flags().StringVar(&d.reason, "reason", "", "why, as `TEXT`: the agent is told")
	d.addTo(c)
	return s.changing(c)
}

// deciding is what approve and reject are asked for.
type deciding struct {
	verb, reason string
	undo         bool
	decide       decision
}

func (d *deciding) addTo(c *cobra.Command) {
	c.Flags().BoolVar(&d.undo, "undo", false, "decide on the undo that was asked for, and not on the apply")
}

// subject is what the decision is about.
func (d *deciding) subject() runtime.Subject {
	if d.undo {
		return runtime.SubjectUndo
	}
	return runtime.SubjectApply
}

// fits fails where what waits is an undo and the command does not say so. A command that is kept and given again, for a
// change that has been applied since, must not decide on what nobody looked at.
func (d *deciding) fits(v runtime.View) error {
	if d.undo || v.Seen.Subject != runtime.SubjectUndo {
		return nil
	}
	command := "changesetctl " + d.verb + " --undo " + v.ID
	if d.verb == "reject" {
		command += " --reason TEXT"
	}
	return fmt.Errorf("change %s is applied, and what waits is its undo: look at it, and if that is meant: %s", v.ID, command)
}

// decision is a yes or a no of an operator.
type decision func(o *runtime.Operator, ctx context.Context, seen runtime.Seen, reason string) (runtime.View, error)

// decide shows a change, asks, and decides on what was shown. What cannot be decided is told before anybody is asked.
func (s *session) decide(c *cobra.Command, id string, on deciding) error {
	return s.work(c, func(ctx context.Context, d desk) error {
		v, err := d.operator.Get(ctx, id)
		if err != nil {
			return err
		}
		if err := on.fits(v); err != nil {
			return err
		}
		what, seen := on.subject(), v.Seen
		seen.Subject = what // a decision on anything else is refused
		if _, err := on.decide(d.operator.Rehearse(), ctx, seen, on.reason); err != nil {
			return err
		}
		if standing := given(v, what); standing != nil && on.verb == "reject" && !isYes(standing) {
			s.out.Line("The %v of %v is rejected already, %v. That stands.", string(what), id, decisionText(standing))
			return nil
		}
		showSubject(s.stage(), v, what)
		if err := s.agreed(ctx, capitalised(on.verb)+" the "+string(what)+" of "+id+" as "+d.who+"?"); err != nil {
			return err
		}
		v, err = on.decide(d.operator, ctx, seen, on.reason)
		if err != nil {
			return err
		}
		s.tellDecided(v, what)
		return nil
	})
}

// given is the decision on an apply or an undo; nil for none.
func given(v runtime.View, what runtime.Subject) *runtime.ViewDecision {
	if what == runtime.SubjectUndo {
		return v.UndoDecision
	}
	return v.Decision
}

// tellDecided says what follows from a decision.
func (s *session) tellDecided(v runtime.View, what runtime.Subject) {
	made := given(v, what)
	s.did("The %v of %v is %v.", string(what), v.ID, made.Verdict)
	switch {
	case !isYes(made) && what == runtime.SubjectUndo:
		s.out.Line("The change stays applied.")
	case !isYes(made):
	case what == runtime.SubjectUndo:
		s.out.Line("The agent has to call the undo again.")
	default:
		s.out.Line("The agent can apply it until %v.", timestamp(v.ExpiresAt))
	}
}
