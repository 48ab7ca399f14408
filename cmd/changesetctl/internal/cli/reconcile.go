package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/runtime"
)

// verdicts are what a look at the target may have found.
var verdicts = map[string]runtime.Verdict{"done": runtime.Done, "not_done": runtime.NotDone}

func (s *session) reconcileCommand() *cobra.Command {
	var verdict, note string
	c := &cobra.Command{
		Use: "reconcile ID --verdict done|not_done --note TEXT", Short: "Settle a change in doubt, after a look at the target", Args: oneID,
		Long: "reconcile settles a change of which nobody knows whether it was carried out. Look at the target first: done says that what\n" +
			"was begun was done there, not_done that it was not. The note says what was checked. Neither is run again: what was sent\n" +
			"may still arrive after not_done. One that is being carried out is left alone.",
		RunE: func(c *cobra.Command, args []string) error {
			v, known := verdicts[verdict]
			switch {
			case !known:
				return usageError{fmt.Errorf("--verdict is %q: give done or not_done", verdict)}
			case note == "":
				return usageError{errors.New("--note is missing: say what was checked")}
			}
			return s.work(c, func(ctx context.Context, d desk) error { return s.reconcile(ctx, d, args[0], v, note) })
		},
	}
	c.Flags().StringVar(&verdict, "verdict", "", "what was found, as `VERDICT`: done or not_done")
	c.Flags().StringVar(&note, "note", "", "what was checked, as `TEXT`: kept in the history")
	complete(c, "verdict", []string{"done", "not_done"})
	return s.changing(c)
}

func (s *session) reconcile(ctx context.Context, d desk, id string, verdict runtime.Verdict, note string) error {
	v, err := d.operator.Get(ctx, id)
	if err != nil {
		return err
	}
	would, err := d.operator.Rehearse().Reconcile(ctx, v.Seen, verdict, note)
	if err != nil {
		return whoRuns(ctx, d, v, err)
	}
	showChange(s.stage(), v)
	if err := showClaimant(ctx, s.stage(), d, v); err != nil {
		return err
	}
	if err := s.agreed(ctx, fmt.Sprintf("Settle %s as %s, as %s?", id, would.Status, d.who)); err != nil {
		return err
	}
	if v, err = d.operator.Reconcile(ctx, v.Seen, verdict, note); err != nil {
		return err
	}
	s.did("Change %v is %v.", v.ID, string(v.Status))
	return nil
}
