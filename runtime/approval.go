package runtime

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/internal/attempt"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The names of approvals in records and answers.
const (
	approvalToken    = "token"
	approvalOperator = "operator"
)

// String is how records and answers name it.
func (a Approval) String() string {
	if a == ByToken {
		return approvalToken
	}
	return approvalOperator
}

// MarshalText names it in JSON.
func (a Approval) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// approvalNamed reads what a record says. What it does not know is the strictest.
func approvalNamed(name string) Approval {
	if name == "" || name == approvalToken {
		return ByToken
	}
	return ByOperator
}

// approvalOf is who may have to say yes.
func (e *erased) approvalOf(p purpose) Approval {
	if p == forUndo {
		return e.UndoApproval
	}
	return e.Approval
}

// approvalFor is who has to say yes to an apply of this payload over this state, as the operation asks now.
func (g *Guard) approvalFor(ctx context.Context, op *erased, payload, state []byte) (Approval, error) {
	if op.Approval == ByToken || op.asks == nil {
		return op.Approval, nil
	}
	asked, err := attempt.Do(ctx, g.opts.Timeout, func(context.Context) (bool, error) { return op.asks(payload, state) })
	if err == nil && !asked {
		return ByToken, nil
	}
	return op.Approval, err
}

// behaviourFor is the operation as it is now, for a change of it. A condition that cannot be told asks for the yes.
func (g *Guard) behaviourFor(ctx context.Context, op *erased, r *ledger.Record) *behaviour {
	b := op.behaviour()
	if op.Digest == r.Digest {
		b.approval, _ = g.approvalFor(ctx, op, r.Payload, r.State)
	}
	return b
}

// approved tells whether a person said yes to this purpose of this very change, as the ledger holds it now. What the yes
// was about is computed anew, so that an edited payload, state or text has none.
func approved(r *ledger.Record, p purpose) bool {
	d := decisionOn(r, p)
	return d.Verdict == ledger.Approved && d.Digest == decisionDigest(p, r.ID, shownDigest(r))
}

// needsYes tells whether an apply waits for a person. The stricter of what the change was previewed under and what the
// operation asks now counts.
func (c *claimApply) needsYes(r *ledger.Record) bool {
	return c.rejected != nil || max(approvalAsked(r), c.operation.approval) != ByToken
}

// needsYes is that of claimApply, of an undo. A yes is what an operator's own request rests on, whoever may say it.
func (c *claimUndo) needsYes(r *ledger.Record) bool {
	return c.operator || max(approvalNamed(r.UndoApproval), c.operation.undoApproval) != ByToken
}
