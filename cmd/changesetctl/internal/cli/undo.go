package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/screen"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// lookEvery is how often undo --wait looks what became of the request.
const lookEvery = 200 * time.Millisecond

func (s *session) undoCommand() *cobra.Command {
	var reason, wait string
	c := &cobra.Command{
		Use: "undo ID", Short: "Have the server take an applied change back", Args: oneID,
		Long: "undo asks the server that owns the operation to take a change back, and agrees to that: this program has no operations,\n" +
			"and writes to nothing but the ledger. The server looks whether the state is still what the change left before it writes.\n" +
			"If it is not running, the request waits until the undo expires. With --wait the command waits for the outcome.",
		RunE: func(c *cobra.Command, args []string) error {
			patience, err := age("wait", wait)
			if err != nil {
				return err
			}
			return s.work(c, func(ctx context.Context, d desk) error { return s.undo(ctx, d, args[0], reason, patience) })
		},
	}
	c.Flags().StringVar(&reason, "reason", "", "why, as `TEXT`: kept with the request")
	c.Flags().StringVar(&wait, "wait", "", "wait at most `DURATION` for the outcome, such as 30s")
	return s.changing(c)
}

func (s *session) undo(ctx context.Context, d desk, id, reason string, patience time.Duration) error {
	v, err := d.operator.Get(ctx, id)
	if err != nil {
		return err
	}
	if _, err := d.operator.Rehearse().RequestUndo(ctx, v.Seen, reason); err != nil {
		return err
	}
	showSubject(s.stage(), v, runtime.SubjectUndo)
	if err := s.agreed(ctx, "Have "+id+" undone, as "+d.who+"?"); err != nil {
		return err
	}
	if v, err = d.operator.RequestUndo(ctx, v.Seen, reason); err != nil {
		return err
	}
	if err := s.tellRequested(ctx, d, v); err != nil || patience == 0 {
		return err
	}
	return s.awaitUndo(ctx, d, v, patience)
}

// tellRequested says who is to carry the undo out, and whether anybody is there who may.
func (s *session) tellRequested(ctx context.Context, d desk, v runtime.View) error {
	s.did("The undo of %v is requested: the server %v carries it out. See what became of it: changesetctl show %v", v.ID, v.Server, v.ID)
	if used, err := d.used(ctx); used || err != nil {
		return err
	}
	until := "it runs"
	if !v.UndoExpiresAt.IsZero() {
		until += ", at most until " + screen.Moment(v.UndoExpiresAt, v.Now)
	}
	s.err.Line("No server is known to use this ledger now: the request waits until %v.", until)
	return nil
}

// awaitUndo looks at a request until it was carried out or refused.
func (s *session) awaitUndo(ctx context.Context, d desk, v runtime.View, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for waits(v) {
		select {
		case <-ctx.Done():
			return stillWaits(context.WithoutCancel(ctx), d, v)
		case <-ticker.C:
		}
		var err error
		if v, err = d.operator.Get(context.WithoutCancel(ctx), v.ID); err != nil {
			return err
		}
	}
	if v.Status == ledger.Undone {
		s.did("Change %v is undone.", v.ID)
		return nil
	}
	return errors.New(whyNotUndone(v))
}

// used tells whether somebody may have the ledger open who carries changes out.
func (d desk) used(ctx context.Context) (bool, error) {
	holders, err := d.ledger.Holders(ctx)
	return slices.ContainsFunc(holders, func(h ledger.HolderState) bool { return h.Liveness != ledger.Gone }), err
}

// stillWaits says what the ledger tells of why an undo is not over: that nobody is there, that it runs, or what was said of
// it last since it was requested. Why a server does not begin is in that server's log alone.
func stillWaits(ctx context.Context, d desk, v runtime.View) error {
	used, err := d.used(ctx)
	if err != nil {
		return err
	}
	why := fmt.Sprintf("no server has begun it: the log of the server %s says why, as where its writes are off, or it does not run", v.Server)
	switch {
	case v.Status == ledger.Undoing:
		why = "it is being carried out"
	case !used:
		why = "no server is known to use this ledger now"
	}
	if n := len(v.Events); n > 0 && v.Events[n-1].Actor == actorGuard {
		last := v.Events[n-1]
		why += "; the last that was said of it: " + told(string(last.To)+codeText(last.Code), last.Reason)
	}
	return fmt.Errorf("the undo of %s is requested, and not over yet: it is %s; %s; look again later: changesetctl show %s", v.ID, v.Status, why, v.ID)
}

// actorGuard is who a server is in a history.
const actorGuard = "guard"

// waits tells whether a requested undo has no outcome yet.
func waits(v runtime.View) bool {
	return v.Status == ledger.Undoing && !v.InDoubt || v.Status == ledger.Applied && v.UndoRequest != nil
}

// whyNotUndone is the latest that the history says.
func whyNotUndone(v runtime.View) string {
	text := fmt.Sprintf("change %s was not undone: it is %s", v.ID, v.Status)
	switch {
	case v.InDoubt:
		return text + ", in doubt: " + v.DoubtReason
	case len(v.Events) > 0:
		last := v.Events[len(v.Events)-1]
		return told(text+codeText(last.Code), last.Reason)
	}
	return text
}

func codeText(code runtime.Code) string {
	if code == "" {
		return ""
	}
	return " (" + string(code) + ")"
}
