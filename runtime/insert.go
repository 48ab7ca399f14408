package runtime

import (
	"context"
	"errors"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// insertAttempts is how often a new id is drawn when it is taken.
const insertAttempts = 3

// record inserts the change that a proposal makes, and hands out its token.
func (g *Guard) record(ctx context.Context, t *tool, p *proposal, d *draft) answer {
	r, err := g.recordOf(ctx, p, d)
	if err != nil {
		return g.ledgerFailed(ctx, err)
	}
	no, err := g.lookBack(ctx, p.op, &r)
	if err != nil {
		return g.ledgerFailed(ctx, err)
	}
	if no != nil {
		return no
	}
	reading, err := g.store.Now(ctx)
	if err != nil {
		return g.ledgerFailed(ctx, err)
	}
	at := g.clock.read(reading)
	if at.behind > g.policy.maxSkew {
		// Its times would be those of a clock that is wrong, and it could not be applied.
		return refuseClockSkew(at, g.policy)
	}
	r.CreatedAt, r.ExpiresAt = at.now, at.now.Add(g.waits(&r))
	token, err := g.insertNew(ctx, &r)
	var full *ledger.CapError
	switch {
	case errors.Is(err, ledger.ErrRequested):
		return g.overtakenRequest(ctx, t, p)
	case errors.As(err, &full):
		return refuseTooManyPending(full.Cap.Max, full.Cap.Of.By == nil)
	case err != nil:
		return g.ledgerFailed(ctx, err)
	}
	made, err := g.previewOf(ctx, p.op, r, token)
	if err != nil {
		return g.showFailed(ctx, p.op.erased, err)
	}
	return made
}

// recordOf is the change of a proposal, without an id and times.
func (g *Guard) recordOf(ctx context.Context, p *proposal, d *draft) (r ledger.Record, err error) {
	r = ledger.Record{
		Fixed: ledger.Fixed{
			Server: p.op.server, Operation: p.op.Name, Scope: p.who.scope, Caller: p.who.caller,
			Digest: p.op.Digest, UndoDigest: p.op.UndoDigest,
			Payload: d.payload, State: d.state, Shown: d.shown, RequestID: p.requestID,
			Approval: d.approval.String(), UndoApproval: p.op.UndoApproval.String(),
			TTL: g.ttl(p.op.erased), UndoTTL: g.undoTTL(p.op.erased), Items: d.items,
		},
		Mutable: ledger.Mutable{Status: ledger.Pending},
	}
	if r.Sensitive, err = p.op.sensitiveAtPreview(d.payload, d.state); err != nil {
		return r, err
	}
	if r.RequestHash, err = g.requestHash(ctx, p.op.erased, p.sent); err != nil {
		return r, err
	}
	return r, g.seal(ctx, &r)
}

// insertNew gives the record an id and a token, and inserts it.
func (g *Guard) insertNew(ctx context.Context, r *ledger.Record) (token string, err error) {
	token = mintToken(forApply)
	event := ledger.Event{Actor: actorAgent, To: ledger.Pending}
	if r.Rejected != "" {
		event.Reason = "the same change was rejected before: " + r.Rejected
	}
	for range insertAttempts {
		r.ID = newChangeID(r.CreatedAt)
		r.ApplyToken = tokenHash(forApply, r.ID, r.PayloadHash, token)
		if err = g.insert(ctx, r, event); !errors.Is(err, ledger.ErrExists) {
			break
		}
	}
	if err == nil {
		g.logMove(ctx, r, event)
	}
	return token, err
}

// insert adds a record, and looks for it after an answer that leaves open whether it is there. A look that fails adds
// nothing to that answer: nobody has the token of what may be there.
func (g *Guard) insert(ctx context.Context, r *ledger.Record, e ledger.Event) error {
	r.WriteID = newWriteID()
	err := attempt.Contain(func() error { return g.store.Insert(ctx, *r, e, g.pendingCaps(r)...) })
	if known := ascertain(ctx, g.store, r, err); !errors.Is(known, errUnsure) {
		return known
	}
	return err
}

// overtakenRequest answers for a request that was made twice at once, of which the other was first.
func (g *Guard) overtakenRequest(ctx context.Context, t *tool, p *proposal) answer {
	if first := g.earlier(ctx, t, p); first != nil {
		return first
	}
	return g.ledgerFailed(ctx, ledger.ErrBusy) // it has gone since: nothing is here, and a second try is right
}

// previewOf is the answer about a change that waits, rendered from the stored bytes as everything that is shown later.
func (g *Guard) previewOf(ctx context.Context, op *registered, r ledger.Record, token string) (*previewed, error) {
	s, err := shown.Read(r.Shown)
	if err != nil {
		return nil, err
	}
	return &previewed{
		record: r, op: op, view: s.View(changeURI(r.ID), shown.Excerpted), token: token, writes: g.policy.writes, hidden: g.hidesWrites(),
		yes: g.yesRecorded(ctx, &r),
	}, nil
}
