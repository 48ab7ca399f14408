package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// reading is a change as it was read, and what is known of its claim.
type reading struct {
	record ledger.Record
	at     moment
	live   bool // the claim in force is known to be carried out now
}

// open tells whether there is a claim in force.
func open(r *ledger.Record) bool { return r.Status == ledger.Applying || r.Status == ledger.Undoing }

// read gives a change and the moment that it was read at. What is no id is not looked for.
func (g *Guard) read(ctx context.Context, id string) (ledger.Record, moment, error) {
	if !changeID.MatchString(id) {
		return ledger.Record{}, moment{}, ledger.ErrNotFound
	}
	r, clock, err := g.store.Get(ctx, id)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return r, moment{}, err
	}
	return r, g.clock.read(clock), err
}

// readLive is read, with what is known of the claim. A claim may end between the reading and the look at its holder,
// who is then no longer there; so a doubt counts only if the change is still the same after that look.
func (g *Guard) readLive(ctx context.Context, id string) (reading, error) {
	r, at, err := g.read(ctx, id)
	for range maxRaces {
		if err != nil || !open(&r) {
			break
		}
		if g.live(ctx, &r) {
			return reading{record: r, at: at, live: true}, nil
		}
		before := r.Revision
		if r, at, err = g.read(ctx, id); err == nil && r.Revision == before {
			break
		}
	}
	return reading{record: r, at: at}, err
}

// live tells whether the claim in force is known to be carried out now. Only that is in flight; anything less is in
// doubt.
func (g *Guard) live(ctx context.Context, r *ledger.Record) bool {
	switch {
	case !r.DoubtAt.IsZero():
		return false
	case r.Holder == g.hold.Name():
		return g.flights.live(r.ClaimID)
	}
	there, err := g.store.Holder(ctx, r.Holder)
	return err == nil && there == ledger.Alive
}

// announceDoubt tells the operator of claims of a server that nobody carries out any more. Nothing is run.
func (g *Guard) announceDoubt(server string) error {
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
			if err != nil {
				return fmt.Errorf("the ledger did not give the open change %s: %w", c.ID, err)
			}
			if r := &now.record; open(r) && !now.live {
				g.log(ctx, slog.LevelWarn, "change in doubt: it is not run again, look at the target",
					"change", r.ID, "operation", r.Operation, "status", r.Status, "updated", r.UpdatedAt)
			}
		}
		query.After = claims[len(claims)-1].ID
	}
}
