package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// lapsed settles a joined claim that nobody carries out any more. While the ledger has no end of it nothing was written,
// and once it has this one nothing will be: whoever comes late is rolled back. So it needs no look, and no proof that its
// holder is gone.
type lapsed struct{ claim string }

func (l lapsed) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	if !r.Joined || !open(&r) {
		return r, cause{}, errNoTransition
	}
	return settleFailed{claim: l.claim, failure: notCompleted(r.Status)}.decide(r, at, p)
}

func (l lapsed) known(r *ledger.Record) string { return notAnswered(r) }

// settleLapsed records of a joined claim that nobody carries out any more that nothing was written. It tells whether the
// ledger has that.
func (g *Guard) settleLapsed(ctx context.Context, now *reading) bool {
	if !now.over {
		return false
	}
	_, err := g.move(ctx, now.record.ID, lapsed{claim: now.record.ClaimID})
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelError, "it was not recorded that a change was not written", "change", now.record.ID, "error", err)
	}
	return err == nil
}

// settleAllLapsed settles, of the servers of this guard, every joined claim that nobody carries out any more. One that cannot be
// settled keeps no other waiting.
func (g *Guard) settleAllLapsed(ctx context.Context) error {
	var unsettled error
	for _, server := range g.serverNames() {
		q := ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}, Server: server, Joined: true}
		for r, err := range ledger.All(ctx, g.store, q) {
			if err == nil {
				err = g.settleIfLapsed(ctx, r.ID)
			}
			switch {
			case err == nil:
			case r.ID == "" && !keyIsLost(err) && !errors.Is(err, ledger.ErrCorrupt), errors.Is(err, ledger.ErrUnavailable), ctx.Err() != nil:
				return err
			default:
				unsettled = fmt.Errorf("%s: %w", cmp.Or(r.ID, "unknown"), err)
			}
		}
	}
	return unsettled
}

// settleIfLapsed settles one. Others may do so at the same time, which is no error.
func (g *Guard) settleIfLapsed(ctx context.Context, id string) error {
	now, err := g.readLive(ctx, id)
	switch {
	case errors.Is(err, ledger.ErrNotFound): // it ended, and was pruned since
		return nil
	case err != nil, !now.doubtful(), !now.over:
		return err
	}
	_, err = g.move(ctx, id, lapsed{claim: now.record.ClaimID})
	if errors.Is(err, errNoTransition) || errors.Is(err, ledger.ErrBusy) {
		return nil // the next look will tell
	}
	return err
}

// giveUpJoined records that a joined claim is not carried out any more, after a panic of our own. What it answers is what
// the ledger has then.
func (g *Guard) giveUpJoined(ctx context.Context, granted *grant) answer {
	end := lapsed{claim: granted.record.ClaimID}
	stored, no := g.conclude(ctx, granted, end)
	if no != nil {
		return no
	}
	return g.refuseNotOurs(&granted.record, &stored, end.known(&granted.record))
}
