package runtime

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// person is who decides, by which channel, and why.
type person struct{ name, channel, reason string }

// What a person decides about a change. Each decision names what it is about: a change may have moved on since the
// person looked at it, and a yes to its apply is none to its undo.
type (
	// approve is a yes to an apply, or to an undo that was requested. It is given once.
	approve struct {
		person
		to purpose
	}
	// reject is a no, which may follow a yes for as long as nothing is claimed. A no to an apply is final; one to an undo
	// leaves the change applied. A second no has nothing to add.
	reject struct {
		person
		to purpose
	}
	// requestUndo asks for an undo and agrees to it. Whoever serves the operation carries it out.
	requestUndo struct{ person }
)

func (a approve) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	decision := decisionOn(&r, a.to)
	if no := decidable(&r, a.to, at); no != nil {
		return r, cause{}, no
	}
	switch {
	case decision.Verdict == ledger.Approved:
		return r, cause{}, declineDecided(&r, a.to, *decision)
	case at.behind > p.maxSkew:
		return r, cause{}, declineClock(&r, at)
	}
	*decision = a.decision(ledger.Approved, a.to, &r, at)
	if a.to == forApply {
		r = unmarked(r)
		r.ExpiresAt = at.now.Add(cmp.Or(r.TTL, DefaultTTL))
	}
	return r, cause{actor: actorOperator, code: eventApproved, reason: a.says("approved the " + a.to.verb())}, nil
}

func (j reject) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if isRejected(&r, j.to) && unlikeShown(&r) == "" {
		return r, cause{}, errNoTransition
	}
	if no := decidable(&r, j.to, at); no != nil {
		return r, cause{}, no
	}
	if j.silent() {
		return r, cause{}, declineSilence("reject it with a reason: it is what the agent is told")
	}
	*decisionOn(&r, j.to) = j.decision(ledger.Refused, j.to, &r, at)
	why := cause{actor: actorOperator, code: CodeRejected, reason: j.says("rejected the " + j.to.verb())}
	if j.to == forUndo {
		r.UndoRequest = ledger.Request{}
		return r, why, nil
	}
	r = unmarked(r)
	r.Status, r.Code, r.Message = ledger.Rejected, string(CodeRejected), j.reason
	return r, why, nil
}

func (u requestUndo) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	switch flaw := unlikeShown(&r); {
	case flaw != "":
		return r, cause{}, declineDamaged(&r, flaw)
	case r.Status != ledger.Applied:
		return r, cause{}, declineUndoOf(&r)
	case undoOver(&r, at.now):
		return r, cause{}, declineLate(&r, forUndo)
	case !hasUndo(&r):
		return r, cause{}, declineNoUndo(&r)
	case operatorAsks(&r) && r.UndoDecision.Verdict == ledger.Approved:
		return r, cause{}, declineDecided(&r, forUndo, r.UndoDecision)
	case at.behind > p.maxSkew:
		return r, cause{}, declineClock(&r, at)
	}
	r.UndoRequest = ledger.Request{At: at.now, By: u.name, Channel: u.channel, Reason: u.reason}
	r.UndoDecision = u.decision(ledger.Approved, forUndo, &r, at)
	return r, cause{actor: actorOperator, code: eventUndoRequested, reason: u.says("requested the undo")}, nil
}

// channelAgent is the channel of a request that an agent made. It is none in which a person decides.
const channelAgent = "agent"

// decidable says why a person's word on p has no place; nil if it has. Whether the change needs that word is not asked:
// the operation as it runs now, or a rejection of the same change, may need one where the record needs none.
func decidable(r *ledger.Record, p purpose, at moment) error {
	flaw := unlikeShown(r)
	switch {
	case flaw != "":
		return declineDamaged(r, flaw)
	case p == forApply && r.Status != ledger.Pending, p == forUndo && r.Status != ledger.Applied:
		return declineStatus(r, p)
	case p == forNothing && r.Status != ledger.Pending:
		return declineStatus(r, forApply)
	case p == forNothing:
		return declineMoved(r)
	case p == forUndo && !asksForUndo(r):
		return declineNotAsked(r)
	case p == forApply && !at.now.Before(r.ExpiresAt), p == forUndo && undoOver(r, at.now):
		return declineLate(r, p)
	}
	return nil
}

// decisionOn is the decision on p, as far as there is one.
func decisionOn(r *ledger.Record, p purpose) *ledger.Decision {
	if p == forUndo {
		return &r.UndoDecision
	}
	return &r.Decision
}

// isRejected tells that a person's no is all there is to say on p.
func isRejected(r *ledger.Record, p purpose) bool {
	if p == forUndo {
		return undoRejected(r)
	}
	return r.Status == ledger.Rejected
}

// undoRejected tells that a person said no to the undo of an applied change. That binds whoever has the token, whether the
// undo needs a yes or not, until an operator asks for it themselves.
func undoRejected(r *ledger.Record) bool {
	return r.Status == ledger.Applied && r.UndoDecision.Verdict == ledger.Refused
}

func asksForUndo(r *ledger.Record) bool { return r.UndoRequest.Channel != "" }

// operatorAsks tells that an operator wants the undo, and no agent who has the token.
func operatorAsks(r *ledger.Record) bool {
	return asksForUndo(r) && r.UndoRequest.Channel != channelAgent
}

// hasUndo tells whether an applied change could be undone, in its time. Where nobody was given the token, its hash is
// there all the same.
func hasUndo(r *ledger.Record) bool { return len(r.UndoToken) > 0 }

// undoOver tells that the time to undo an applied change is over. Where that is written down, the hash of the token is
// gone, and no clock brings it back.
func undoOver(r *ledger.Record, now time.Time) bool {
	return !r.UndoExpiresAt.IsZero() && (!hasUndo(r) || !now.Before(r.UndoExpiresAt))
}

// silent tells that no reason is given.
func (p person) silent() bool { return strings.TrimSpace(p.reason) == "" }

// says is what an event keeps of a decision.
func (p person) says(what string) string {
	text := fmt.Sprintf("%s %s (%s)", p.name, what, p.channel)
	if !p.silent() {
		text += ": " + p.reason
	}
	return text
}

func (p person) decision(v ledger.DecisionVerdict, to purpose, r *ledger.Record, at moment) ledger.Decision {
	return ledger.Decision{
		Verdict: v, At: at.now, By: p.name, Channel: p.channel, Reason: p.reason, Digest: decisionDigest(to, r.ID, shownDigest(r)),
	}
}
