package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// startLooks is how many changes are looked at at once after the start.
const startLooks = 4

// announceDoubt examines the open claims of a server, unless it has done so before.
func (g *Guard) announceDoubt(server string) error {
	if g.knows(server) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), ledgerPatience)
	defer cancel()
	query := ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}, Server: server}
	for c, err := range ledger.All(ctx, g.store, query) {
		if err := g.examine(ctx, &c, err, false); err != nil {
			return fmt.Errorf("the ledger did not give the open changes of %s: %w", server, err)
		}
	}
	return nil
}

// examine tells the operator, unless they were told, of a claim that nobody carries out any more, and keeps it for a look if
// its holder is gone. Nothing is run. A record that cannot be read, as without the key of the ledger, keeps no server from
// the other changes. The error is what the claim was read with, or what the ledger fails with.
func (g *Guard) examine(ctx context.Context, c *ledger.Record, err error, told bool) error {
	var now reading
	if err == nil {
		now, err = g.readLive(ctx, c.ID)
	}
	switch {
	case keyIsLost(err), errors.Is(err, ledger.ErrCorrupt):
		g.log(ctx, slog.LevelError, "a change was begun that cannot be read: an operator has to settle it",
			"change", c.ID, "operation", c.Operation, "status", c.Status, "error", err)
		return nil
	case errors.Is(err, ledger.ErrNotFound): // it ended, and was pruned since
		return nil
	case err != nil:
		return err
	case now.live:
		g.watch(&now.record, told)
	case now.doubtful() && !(now.record.Joined && g.settleLapsed(ctx, &now)):
		g.announce(ctx, &now, told)
	}
	return nil
}

// knows tells whether the guard has operations of a server.
func (g *Guard) knows(server string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.servers[server]
}

func (g *Guard) announce(ctx context.Context, now *reading, told bool) {
	r := &now.record
	if !told {
		g.log(ctx, slog.LevelWarn, "change in doubt: it is not run again, look at the target",
			"change", r.ID, "operation", r.Operation, "status", r.Status, "updated", r.UpdatedAt)
	}
	switch g.holderOf(ctx, now) {
	case ledger.Gone:
		g.orphans = append(g.orphans, claimOf(r))
	case ledger.Alive:
		g.watch(r, true)
	}
}

// claimOf is what is kept of a claim to look at.
func claimOf(r *ledger.Record) ledger.Record {
	return ledger.Record{Fixed: ledger.Fixed{ID: r.ID, Server: r.Server, Operation: r.Operation}}
}

// holderOf is what is known of the holder of a claim in doubt. A doubt that is written down was read without asking.
func (g *Guard) holderOf(ctx context.Context, now *reading) ledger.Liveness {
	switch {
	case now.record.DoubtAt.IsZero() && now.over:
		return ledger.Gone
	case now.record.DoubtAt.IsZero(), g.holds.Ours(now.record.Holder): // whatever the ledger takes this process for
		return ledger.Unknown
	}
	there, err := g.store.Holder(ctx, now.record.Holder)
	if err != nil {
		return ledger.Unknown
	}
	return there
}

// lookAtOrphans looks, in the background, at the changes that were left in doubt and whose operations the set knows by
// now. Closing the guard cuts off the looks that have begun, and begins no more.
func (g *Guard) lookAtOrphans(set *toolset) {
	var looks []func()
	var others []ledger.Record
	for _, orphan := range g.orphans {
		op := set.find(&orphan)
		if op == nil {
			others = append(others, orphan)
			continue
		}
		looks = append(looks, func() { <-g.inquire(context.Background(), op, orphan.ID).done })
	}
	g.orphans = others
	next := make(chan func(), len(looks))
	for _, look := range looks {
		next <- look
	}
	close(next)
	for range min(startLooks, len(looks)) {
		go func() {
			for look := range next {
				look()
			}
		}()
	}
}
