package runtime

import (
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// asker is who asks for a claim, what is known of the change where they ask, and the token they hold.
type asker struct {
	serves        bool // the tool that was called serves the server and the operation of the change
	scope, caller string
	token         string
	claimState               // of the claim in force
	operation     *behaviour // the operation as it is registered now; nil: it is not
	resultFits    bool       // the stored result is one that the operation can return
}

// knows tells whether the change exists for the asker.
func (a *asker) knows(r *ledger.Record) bool {
	return a.serves && a.scope == r.Scope && a.caller == r.Caller
}

// holds tells whether the change exists for the asker, and they have the token that moves it.
func (a *asker) holds(r *ledger.Record, p purpose) bool {
	return a.knows(r) && tokenMatches(r, p, a.token)
}

// behaviour is what decides whether an approval still means the same.
type behaviour struct {
	digest, undoDigest string
	undoes             bool     // there is an undo
	observes           bool     // something is looked at after apply
	needsResult        bool     // there is a result, and undo cannot do without it
	approval           Approval // who has to say yes to an apply of this change
	undoApproval       Approval // who has to say yes to an undo
	joined             bool     // the bodies write in the transaction that records the change
	maxItems           int      // how many things a change may affect; 0: any number
}

// applies tells whether it would do what was agreed to, of which the undo that was promised is a part.
func (b *behaviour) applies(r *ledger.Record) bool {
	return b.digest == r.Digest && (r.UndoTTL == 0 || b.undoDigest == r.UndoDigest)
}

// claimApply asks to carry a change out. claimUndo asks to take it back.
type (
	claimApply struct {
		asker
		claimant
		expects  string         // the payload hash that the caller says it is about; "" for none
		rejected *ledger.Record // the same change, to which a person said no not long ago; nil for none
	}
	claimUndo struct {
		asker
		claimant
		operator bool // an operator requested it, who has no token
	}
)

// claimant is what a claim is called, and the hold that it is made with.
type claimant struct{ id, holder string }

// barred are the first checks of both claims, before anything is told of where the change stands; nil if they pass.
func (a *asker) barred(r *ledger.Record, p policy) *refusal {
	switch flaw := unlikeShown(r); {
	case !p.writes:
		return refuseWritesDisabled(p.writesEnv)
	case !a.knows(r):
		return refuseUnknownChange()
	case flaw != "":
		return refuseDamaged(r, flaw)
	}
	return nil
}

// decide is the order of the checks of apply: the first that fails is the answer. The right token is spent by the
// claim; a refusal leaves the record as it was.
func (c claimApply) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	if no := c.barred(&r, p); no != nil {
		return r, cause{}, no
	}
	switch {
	case r.Status == ledger.Rejected:
		return r, cause{}, refuseRejected(&r)
	case r.Status == ledger.Applied, r.Status == ledger.ApplyFailed,
		r.Status == ledger.Undoing, r.Status == ledger.Undone, r.Status == ledger.UndoFailed:
		return r, cause{}, c.alreadyUsed(&r, at.now)
	case r.Status == ledger.Applying:
		return r, cause{}, refuseClaimed(&r, c.claimState)
	case r.Status == ledger.Expired, !at.now.Before(r.ExpiresAt):
		return r, cause{}, refuseExpired(&r)
	case at.behind > p.maxSkew:
		return r, cause{}, refuseClockSkew(at, p).about(&r)
	case !tokenMatches(&r, forApply, c.token):
		return r, cause{}, refuseInvalidToken(&r, forApply)
	case c.operation == nil:
		return r, cause{}, refuseOperationUnknown(&r)
	case !c.operation.applies(&r):
		return r, cause{}, refuseOperationChanged(&r, forApply)
	case c.expects != "" && c.expects != r.PayloadHash:
		return r, cause{}, refusePayloadMismatch(&r)
	case c.needsYes(&r) && !approved(&r, forApply):
		return r, cause{}, c.refuseAwaiting(&r)
	case c.operation.maxItems > 0 && r.Items > int64(c.operation.maxItems):
		return r, cause{}, refuseItems(r.Items, c.operation.maxItems).about(&r)
	}
	r = claimed(r, ledger.Applying, c.claimant, c.operation.joined)
	r.ClaimedAt = at.now
	return r, cause{actor: actorAgent}, nil
}

// alreadyUsed answers a repeated apply. Whoever holds the token that was spent may see the result once more, while the
// operation still means what it did.
func (c claimApply) alreadyUsed(r *ledger.Record, now time.Time) *refusal {
	no := refuseAlreadyUsed(r, forApply, now)
	no.renewable = c.renews(r, now)
	if !tokenMatches(r, forApply, c.token) || c.operation == nil || c.operation.digest != r.Digest {
		return no
	}
	no.result, no.resultFlaw = resultTold(r), r.ResultFlaw
	if r.Result != nil && !c.resultFits {
		no.result, no.resultFlaw = nil, flawInvalid
	}
	no.hint = joined(no.hint, whyNoResult(no.resultFlaw))
	return no
}

// decide is the order of the checks of undo.
func (c claimUndo) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	if no := c.barred(&r, p); no != nil {
		return r, cause{}, no
	}
	switch {
	case undoRejected(&r):
		return r, cause{}, refuseUndoRejected(&r)
	case r.Status == ledger.Undone, r.Status == ledger.UndoFailed:
		return r, cause{}, refuseAlreadyUsed(&r, forUndo, at.now)
	case r.Status == ledger.Applying, r.Status == ledger.Undoing:
		return r, cause{}, refuseClaimed(&r, c.claimState)
	case r.Status != ledger.Applied:
		return r, cause{}, refuseNothingToUndo(&r)
	case undoOver(&r, at.now):
		return r, cause{}, refuseUndoExpired(&r)
	case !hasUndo(&r):
		return r, cause{}, refuseNoUndo(&r, c.operation)
	case at.behind > p.maxSkew:
		return r, cause{}, refuseClockSkew(at, p).about(&r)
	case !c.operator && !tokenMatches(&r, forUndo, c.token):
		return r, cause{}, refuseInvalidToken(&r, forUndo)
	case c.operation == nil:
		return r, cause{}, refuseOperationUnknown(&r)
	case c.operation.undoDigest != r.UndoDigest, !c.operation.undoes:
		return r, cause{}, refuseOperationChanged(&r, forUndo)
	case c.operation.needsResult && r.Result == nil:
		return r, cause{}, refuseNoUndo(&r, c.operation)
	case c.operation.observes && r.After == nil:
		return r, cause{}, refuseAfterUnknown(&r)
	case c.needsYes(&r) && !approved(&r, forUndo), c.operator && !operatorAsks(&r):
		return r, cause{}, refuseUndoAwaiting(&r)
	}
	why := cause{actor: actorAgent}
	if c.operator { // a request is for one claim, whatever becomes of it
		why = cause{actor: actorOperator, reason: "the undo that " + r.UndoRequest.By + " requested"}
		r.UndoRequest = ledger.Request{}
	}
	return claimed(r, ledger.Undoing, c.claimant, c.operation.joined), why, nil
}

// claimed is r under a new claim. What an earlier claim left to say is over.
func claimed(r ledger.Record, to ledger.Status, by claimant, joined bool) ledger.Record {
	r.Status, r.ClaimID, r.Holder, r.Joined = to, by.id, by.holder, joined
	r = undoubted(r)
	r.Code, r.Message, r.Error, r.Outcome = "", "", "", ""
	return r
}

// undoubted is r without a doubt about its claim, and without what looks found of it.
func undoubted(r ledger.Record) ledger.Record {
	r.DoubtAt, r.DoubtReason, r.Finding = noTime, "", ledger.Finding{}
	return r
}
