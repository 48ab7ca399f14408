package runtime

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/hold"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// ask is one call of an apply or undo tool.
type ask struct {
	tool     *tool
	purpose  purpose
	who      identity
	id       string
	token    string
	expects  string // the payload hash that the change must have; "" for any
	operator bool   // an operator requested it, who has no token
}

// grant is a claim that was made: the record under it, the operation that carries it out, and the hold that it is made with.
type grant struct {
	hold   *hold.Hold
	record ledger.Record
	op     *registered
	owed   *settling    // how the claim ended, if the ledger has not taken that
	joined *settling    // how it ended by its own transaction, of which nobody can say whether the ledger has it; nil: by none
	ended  bool         // the ledger has taken it, and the claim is over
	give   func(answer) // answers the caller, unless somebody has; of a claim that is carried out
	unsure bool         // nobody can say whether the ledger has the claim
}

// firstAttempt is the number in idempotency keys: a claim runs one body, once.
const firstAttempt = "1"

// callOf is what the hooks of a change are given.
func callOf(r *ledger.Record, p purpose) Call {
	return Call{ChangeID: r.ID, IdempotencyKey: r.ID + ":" + p.verb() + ":" + firstAttempt}
}

// claim makes the change this caller's to carry out, durably, or says why not. A grant must be ended with land.
func (g *Guard) claim(ctx context.Context, a ask) (*grant, *refusal) {
	id := newClaimID()
	if !g.flights.Begin(id) {
		return nil, refuseShuttingDown()
	}
	granted := &grant{hold: g.holds.Use()}
	err := attempt.Contain(func() error { return g.compete(ctx, a, id, granted) })
	switch {
	case err == nil:
		return granted, nil
	case granted.unsure:
		g.disown(ctx, granted, a.purpose)
	default:
		g.land(granted, id)
	}
	return nil, g.claimRefusal(ctx, a, err)
}

// land says that nothing of a claim runs any more.
func (g *Guard) land(granted *grant, claim string) {
	granted.hold.End()
	g.flights.End(claim)
}

// closeExpired writes down that a change expired, or the time to undo it, when somebody asked too late. Told of it they
// are in any case.
func (g *Guard) closeExpired(ctx context.Context, id string) {
	_, err := g.move(ctx, id, expire{})
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelWarn, "it was not recorded that a change expired", "change", id, "error", err)
	}
}

// compete reads, decides and writes, again when others moved the change in between, or took the holder for gone. A claim
// of which nobody can say whether the ledger has it is unsure.
func (g *Guard) compete(ctx context.Context, a ask, id string, granted *grant) error {
	for range maxRaces {
		d, err := g.decide(ctx, a, claimant{id: id, holder: granted.hold.Name()})
		if err != nil {
			return err
		}
		if granted.hold.IsLost() {
			if err := g.renewHold(ctx, granted); err != nil {
				return err
			}
			continue // in that time others may have moved the change
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		granted.record, granted.op = d.record, d.op
		err = g.swap(ctx, &granted.record, deadline(&d.record, a.purpose, d.at), d.event, claimCaps(d.op, &d.record, a.purpose)...)
		switch {
		case err == nil:
			g.logMove(ctx, &granted.record, d.event)
			return nil
		case errors.Is(err, ledger.ErrExpired):
			return refuseLate(&d.record, a.purpose)
		case errors.Is(err, ledger.ErrCap):
			return g.full(ctx, d.op, &d.record)
		case errors.Is(err, ledger.ErrHoldOver):
			granted.hold.Lose()
		case !errors.Is(err, ledger.ErrConflict):
			granted.unsure = errors.Is(err, errUnsure)
			return err
		}
	}
	return ledger.ErrBusy
}

// decision is what transition makes of a claim: the record as it becomes, or, with an error, as it is.
type decision struct {
	record ledger.Record
	op     *registered // nil: no longer
	at     moment
	event  ledger.Event
}

// decide reads the change and lets transition decide on the claim. It writes nothing.
func (g *Guard) decide(ctx context.Context, a ask, by claimant) (d decision, err error) {
	now, err := g.readLive(ctx, a.id)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return d, err
	}
	r := now.record
	// A change that is not there is the zero record, which no tool serves: the order of the checks stays one.
	op, serves := a.tool.serves(&r)
	who := asker{serves: serves, scope: a.who.scope, caller: a.who.caller, token: a.token, claimState: now.claimState}
	if op != nil {
		g.consult(ctx, op.erased, &who, &r)
	}
	q, err := g.requestOf(ctx, a, who, op, &r, by)
	if err != nil {
		return d, err
	}
	d.op, d.at = op, now.at
	d.record, d.event, err = transition(r, q, now.at, g.policy)
	return d, err
}

// consult finds out what the operation says of a change now. The author's condition and the schema of the result are asked
// only for those who hold the token that applies it.
func (g *Guard) consult(ctx context.Context, op *erased, who *asker, r *ledger.Record) {
	who.operation = op.behaviour()
	switch {
	case !who.holds(r, forApply):
	case r.Status == ledger.Pending:
		who.operation = g.behaviourFor(ctx, op, r)
	default:
		who.resultFits = op.fits(r.Result)
	}
}

// requestOf is the claim that is asked for.
func (g *Guard) requestOf(ctx context.Context, a ask, who asker, op *registered, r *ledger.Record, by claimant) (request, error) {
	if a.purpose == forUndo {
		return claimUndo{asker: who, claimant: by, operator: a.operator}, nil
	}
	q := claimApply{asker: who, claimant: by, expects: a.expects}
	if op == nil || r.Status != ledger.Pending || !who.holds(r, forApply) || approved(r, forApply) {
		return q, nil // what a person said before decides nothing here
	}
	var err error
	q.rejected, err = g.rejectedLike(ctx, op, r)
	return q, err
}

// deadline is the expiry by the ledger's own clock, which the claim's transaction reads: a claim that waits for its
// turn must not outlive it. Zero is never.
func deadline(r *ledger.Record, p purpose, at moment) time.Time {
	expiry := r.ExpiresAt
	if p == forUndo {
		expiry = r.UndoExpiresAt
	}
	if expiry.IsZero() {
		return noTime
	}
	return expiry.Add(-at.behind)
}

// claimRefusal says why there is no claim, and writes down what is over.
func (g *Guard) claimRefusal(ctx context.Context, a ask, err error) *refusal {
	var no *refusal
	switch {
	case errors.As(err, &no):
		if no.code == CodeExpired {
			g.closeExpired(ctx, a.id)
		}
		if no.asksUndo && !a.operator { // an operator's own request that ended meanwhile asks for nothing
			return g.askForUndo(ctx, a, no)
		}
		return no
	case ctx.Err() != nil && !errors.Is(err, errUnsure):
		return refuseCancelled()
	}
	g.log(ctx, slog.LevelError, "the ledger failed at a claim", "change", a.id, "error", err, "stack", stackOf(err))
	return ledgerRefusal(err)
}
