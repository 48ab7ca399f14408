package runtime

import "github.com/changesetgen/changesetgen/runtime/ledger"

// found is what a look of the guard's own found out about a claim in doubt, and void under another claim: it says nothing
// of a later one. Only what was done is settled by it; the rest is written down for the operator, once.
type found struct {
	claim   string
	settles bool // nobody can be carrying the claim out whom the look would run ahead of
	verdict Verdict
	saw     string // as operators read it
	before  []byte // what the look took for the state before an apply
	after   []byte // of an apply that was done: a fresh look, nil if there was none
	flaw    string // of the result that nobody has
}

func (f found) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if !open(&r) || r.ClaimID != f.claim {
		return r, cause{}, errNoTransition
	}
	why := cause{actor: actorGuard, reason: lookReason(f.verdict, f.saw)}
	if f.verdict == Done && f.settles {
		if r.Status == ledger.Applying {
			r.Before, r.After, r.ResultFlaw = f.before, f.after, f.flaw
		}
		r = foundDone(r, at)
		r.DoubtAt, r.DoubtReason, r.Error = noTime, "", ""
		return r, why, nil
	}
	reason := doubtWithLook(&r, f.verdict, f.saw)
	if reason == r.DoubtReason {
		return r, cause{}, errNoTransition // it is written down already
	}
	r.DoubtReason, why.code = reason, CodeInDoubt
	return r, why, nil
}

// foundDone is a claimed change whose body turned out to have written. An apply has no result and no undo token then.
func foundDone(r ledger.Record, at moment) ledger.Record {
	if r.Status == ledger.Undoing {
		r.Status = ledger.Undone
		return r
	}
	r.Status, r.AppliedAt, r.UndoToken, r.UndoExpiresAt = ledger.Applied, at.now, nil, noTime
	if r.UndoTTL > 0 {
		r.UndoExpiresAt = at.now.Add(r.UndoTTL)
	}
	if r.Before == nil {
		r.Before = r.State
	}
	return r
}
