package runtime

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// startLooks is how many changes are looked at at once after the start.
const startLooks = 4

// announceDoubt tells the operator of the claims of a server that nobody carries out any more, and keeps those whose
// holder is gone for a look. Nothing is run. A lost key keeps no server from the changes that need none. What was told
// once is not told again.
func (g *Guard) announceDoubt(server string) error {
	if g.knows(server) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), ledgerPatience)
	defer cancel()
	query := ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}, Server: server}
	for {
		claims, err := g.store.List(ctx, query)
		if err != nil {
			return fmt.Errorf("the ledger did not list the open changes of %s: %w", server, err)
		}
		if len(claims) == 0 {
			return nil
		}
		for _, c := range claims {
			now, err := g.readLive(ctx, c.ID)
			switch {
			case keyIsLost(err):
				g.log(ctx, slog.LevelError, "a change was begun that cannot be read without the key of the ledger: an operator has to settle it",
					"change", c.ID, "operation", c.Operation, "status", c.Status, "error", err)
				continue
			case err != nil:
				return fmt.Errorf("the ledger did not give the open change %s: %w", c.ID, err)
			}
			if now.doubtful() {
				g.announce(ctx, &now.record)
			}
		}
		query.After = claims[len(claims)-1].ID
	}
}

// knows tells whether the guard has operations of a server.
func (g *Guard) knows(server string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.servers[server]
}

func (g *Guard) announce(ctx context.Context, r *ledger.Record) {
	g.log(ctx, slog.LevelWarn, "change in doubt: it is not run again, look at the target",
		"change", r.ID, "operation", r.Operation, "status", r.Status, "updated", r.UpdatedAt)
	if there, err := g.store.Holder(ctx, r.Holder); err == nil && there == ledger.Gone {
		g.orphans = append(g.orphans, ledger.Record{Fixed: ledger.Fixed{ID: r.ID, Server: r.Server, Operation: r.Operation}})
	}
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
