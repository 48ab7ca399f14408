package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A change that its record lets the token alone carry out may need a person's yes all the same: the same change was
// rejected since, or the server asks for more now. Operators have no operations and see records only, so the first apply
// that is refused for it leaves a mark, and the mark binds: what people are asked is theirs to answer.

// askForYes marks a change that waits for a person beyond what its record says.
type askForYes struct {
	told string // what the agent is told
	why  string // why, for operators
}

func (a askForYes) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Pending || unlikeShown(&r) != "" || !at.now.Before(r.ExpiresAt) ||
		approvalAsked(&r) != ByToken || r.Decision.Verdict != "" {
		return r, cause{}, errNoTransition
	}
	r.Code, r.Message, r.Error = string(CodeAwaitingApproval), a.told, a.why
	return r, cause{actor: actorAgent, code: CodeAwaitingApproval, reason: "it was to be applied with its token: " + a.why}, nil
}

// isMarked tells that a change was marked, and that nobody has decided on it since.
func isMarked(r *ledger.Record) bool {
	return r.Status == ledger.Pending && r.Code == string(CodeAwaitingApproval)
}

// unmarked is r without the mark: its wait is over.
func unmarked(r ledger.Record) ledger.Record {
	r.Code, r.Message, r.Error = "", "", ""
	return r
}

// approvalAsked is who has to say yes to an apply as far as the record tells.
func approvalAsked(r *ledger.Record) Approval {
	if isMarked(r) {
		return ByOperator
	}
	return approvalNamed(r.Approval)
}

// refuseAwaiting answers an apply that has no yes, with what is to be recorded of it.
func (c *claimApply) refuseAwaiting(r *ledger.Record) *refusal {
	no := refuseAwaiting(r, rejectionOf(r, c.rejected))
	if approvalAsked(r) == ByToken {
		no.asksYes = &askForYes{told: no.message, why: whyAsked(c.rejected)}
	}
	return no
}

// askForYes records that an apply waits for a person. A caller is told to wait only where it is recorded.
func (g *Guard) askForYes(ctx context.Context, no *refusal) *refusal {
	if no.asksYes == nil {
		return no
	}
	_, err := g.move(ctx, no.changeID, *no.asksYes)
	if err != nil && !errors.Is(err, errNoTransition) {
		g.log(ctx, slog.LevelError, "it was not recorded that an apply needs a person's yes", "change", no.changeID, "error", err)
		failed := ledgerRefusal(err)
		failed.changeID, failed.status = no.changeID, no.status
		failed.server, failed.operation = no.server, no.operation
		return failed
	}
	return no
}

// yes is what an apply of a change that waits needs besides its token.
type yes struct {
	needed    bool
	rejection *rejection // why, if the same change was rejected; nil otherwise
}

// yesRecorded is what the record of a change asks for.
func (g *Guard) yesRecorded(ctx context.Context, r *ledger.Record) yes {
	return yes{needed: approvalAsked(r) != ByToken, rejection: g.rejectionTold(ctx, r)}
}

// yesFor tells what an apply would be answered now. What cannot be told is left to the apply.
func (g *Guard) yesFor(ctx context.Context, op *registered, r *ledger.Record) yes {
	y := g.yesRecorded(ctx, r)
	if op == nil || approved(r, forApply) {
		return y
	}
	q := claimApply{asker: asker{operation: g.behaviourFor(ctx, op.erased, r)}}
	var err error
	if q.rejected, err = g.rejectedLike(ctx, op, r); err != nil {
		g.log(ctx, slog.LevelWarn, "it cannot be told whether the same change was rejected", "change", r.ID, "error", err)
	}
	y.needed = q.needsYes(r)
	if y.rejection == nil {
		y.rejection = rejectionOf(r, q.rejected)
	}
	return y
}

// approval is who has to say yes to the apply, as answers name it.
func (y yes) approval() string {
	if y.needed {
		return approvalOperator
	}
	return approvalToken
}

// whyAsked says to operators why a change that its record lets the token carry out needs their yes.
func whyAsked(rejected *ledger.Record) string {
	if rejected == nil {
		return "the server asks for a person's yes, which it did not when this was previewed"
	}
	return fmt.Sprintf("the same change, %s, was rejected%s: %s", rejected.ID, byWhom(rejected.Decision), rejected.Message)
}
