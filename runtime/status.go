package runtime

import (
	"context"
	"errors"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// status tells where a change stands, and never a token. It writes nothing but what a look at a change in doubt finds, and
// that a change is in doubt which this guard has forgotten.
func (g *Guard) status(ctx context.Context, t *tool, who identity, id string) answer {
	now, err := g.readLive(ctx, id)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return refuseUnknownChange()
	case err != nil && ctx.Err() != nil:
		return refuseCancelled()
	case err != nil:
		g.log(ctx, slog.LevelError, "the ledger failed at a status", "change", id, "error", err)
		return ledgerRefusal(err)
	}
	known := asker{serves: t.set.serves(now.record.Server), scope: who.scope, caller: who.caller}
	if !known.knows(&now.record) {
		return refuseUnknownChange()
	}
	if g.lookFor(ctx, t.set.find(&now.record), &now) {
		if again, err := g.readLive(ctx, id); err == nil {
			now = again
		}
	}
	r := now.record
	show, err := shown.Read(r.Shown)
	if flaw := unlikeShown(&r); flaw != "" {
		g.log(ctx, slog.LevelError, "the record of a change is damaged", "change", id, "damage", flaw, "error", err)
		return refuseDamaged(&r, flaw)
	}
	if r.Status == ledger.Pending && !now.at.now.Before(r.ExpiresAt) {
		r.Status = ledger.Expired // as every claim sees it
	}
	answered := &statusAnswer{record: r, shown: show, now: now.at.now, inDoubt: open(&r) && !now.live, known: now.known}
	answered.writes, answered.hidden = g.policy.writes, g.hidesWrites()
	if r.Status == ledger.Pending {
		answered.yes = g.yesFor(ctx, t.set.find(&r), &r)
		answered.roomAt = g.roomFor(ctx, t.set.find(&r), &r)
	}
	return answered
}
