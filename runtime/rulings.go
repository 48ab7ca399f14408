package runtime

import "github.com/changesetgen/changesetgen/runtime/ledger"

// What is decided about a change without carrying it out: by a person, or by the passing of time.
type (
	// reject is a person's no. It is final.
	reject struct{ reason string }
	// expire closes a change whose approval is over.
	expire struct{}
	// rule settles a change in doubt: it was done, or it was not. Proof that it was not lets an undo be tried again;
	// a person's word does not.
	rule struct {
		done  bool
		proof bool
		live  bool   // the claim is known to be carried out now: there is no doubt to settle
		after []byte // a fresh look, for an apply that was done
		note  string
	}
)

func (j reject) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Pending || damage(&r) != "" || !at.now.Before(r.ExpiresAt) {
		return r, cause{}, errNoTransition
	}
	r.Status, r.Code, r.Message = ledger.Rejected, string(CodeRejected), j.reason
	return r, cause{actor: actorOperator, code: CodeRejected, reason: j.reason}, nil
}

func (expire) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if r.Status != ledger.Pending || damage(&r) != "" || at.now.Before(r.ExpiresAt) {
		return r, cause{}, errNoTransition
	}
	r.Status = ledger.Expired
	return r, cause{actor: actorGuard, code: CodeExpired}, nil
}

func (u rule) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	switch {
	case u.live:
		return r, cause{}, errNoTransition
	case r.Status == ledger.Applying && u.done:
		r.Status, r.After, r.AppliedAt = ledger.Applied, u.after, at.now
	case r.Status == ledger.Applying:
		r.Status, r.Code, r.Message, r.Outcome = ledger.ApplyFailed, string(CodeApplyFailed), u.note, u.outcome()
	case r.Status == ledger.Undoing && u.done:
		r.Status = ledger.Undone
	case r.Status == ledger.Undoing && u.proof:
		r.Status = ledger.Applied
	case r.Status == ledger.Undoing:
		r.Status, r.Code, r.Message, r.Outcome = ledger.UndoFailed, string(CodeUndoFailed), u.note, outcomeUnknown
	default:
		return r, cause{}, errNoTransition
	}
	r.DoubtAt, r.DoubtReason = noTime, ""
	return r, cause{actor: actorOperator, reason: u.note}, nil
}

// outcome of an apply that was ruled not done: a person's word proves nothing.
func (u rule) outcome() string {
	if u.proof {
		return outcomeNotApplied
	}
	return outcomeUnknown
}
