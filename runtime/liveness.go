package runtime

import (
	"context"
	"errors"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// reading is a change as it was read, and what is known of its claim.
type reading struct {
	record     ledger.Record
	at         moment
	claimState // of the claim in force
}

// claimState is what is known of a claim in force.
type claimState struct {
	live  bool   // it is being carried out now, within its time
	known string // how it ended, in words, although the ledger has not recorded that
	over  bool   // whoever made it is gone, or does not know either how it ended: a look runs ahead of nobody
	// forgotten tells that this guard made it, carries it out no more, and does not know how it ended.
	forgotten bool
}

// open tells whether there is a claim in force.
func open(r *ledger.Record) bool { return r.Status == ledger.Applying || r.Status == ledger.Undoing }

// read gives a change and the moment that it was read at. What is no id is not looked for.
func (g *Guard) read(ctx context.Context, id string) (ledger.Record, moment, error) {
	if !changeID.MatchString(id) {
		return ledger.Record{}, moment{}, ledger.ErrNotFound
	}
	r, clock, err := getFrom(ctx, g.store, id)
	if err == nil {
		err = verifySeal(ctx, g.store, &r)
	}
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
		claim := g.stateOf(ctx, &r)
		if claim.live {
			return reading{record: r, at: at, claimState: claim}, nil
		}
		before := r.Revision
		if r, at, err = g.read(ctx, id); err == nil && r.Revision == before {
			return reading{record: r, at: at, claimState: claim}, nil
		}
	}
	return reading{record: r, at: at}, err
}

// doubtful tells whether the change is in doubt, and nothing is known of its claim that is still to be recorded.
func (now *reading) doubtful() bool { return open(&now.record) && !now.live && now.known == "" }

// stateOf tells what is known of the claim in force. Only one that is known to be carried out now is in flight; any
// other is in doubt. Another guard whose holder is there may be recording an outcome that it told its caller already;
// from here that is in flight, because only that guard knows what it told.
//
// A body that ran on after its time may write as long as whoever called it is there, so that a look runs ahead of it.
func (g *Guard) stateOf(ctx context.Context, r *ledger.Record) claimState {
	doubted := !r.DoubtAt.IsZero()
	if g.holds.Ours(r.Holder) {
		own := g.flights.State(r.ClaimID)
		if r.Joined {
			return claimState{live: !own.Forgotten && own.Known == "", known: own.Known, over: own.Forgotten, forgotten: own.Forgotten}
		}
		live := own.Live && !doubted
		over := !live && own.Known == "" && (own.Forgotten || endRecorded(r))
		return claimState{live: live, known: own.Known, over: over, forgotten: own.Forgotten}
	}
	if doubted && !noEndRecorded(r) {
		return claimState{over: true}
	}
	var there ledger.Liveness
	err := attempt.Contain(func() (err error) {
		there, err = g.store.Holder(ctx, r.Holder)
		return err
	})
	if r.Joined { // nobody is run ahead of: whoever comes late finds the record settled, and is rolled back
		over := err == nil && there != ledger.Alive
		return claimState{live: !over, over: over}
	}
	return claimState{live: !doubted && err == nil && there == ledger.Alive, over: err == nil && there == ledger.Gone}
}
