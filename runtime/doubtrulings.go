package runtime

import "github.com/changesetgen/changesetgen/runtime/ledger"

// found is what a look of the guard's own found out about a claim in doubt, and void under another claim: it says nothing
// of a later one. Only what was done is settled by it; the rest is written down for the operator, once.
type found struct {
	claim   string
	settles bool // nobody can be carrying the claim out whom the look would run ahead of
	verdict Verdict
	saw     string // as operators read it

	// Of an apply that was done:
	before    []byte // the state before it
	after     []byte // a fresh look; nil if there was none
	flaw      string // of the result, which nobody has
	undoToken []byte // hash of a token that nobody has; nil if it cannot be undone
}

func (f found) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	if !open(&r) || r.Joined || r.ClaimID != f.claim {
		return r, cause{}, errNoTransition
	}
	why := cause{actor: actorGuard, reason: lookReason(f.verdict, f.saw)}
	finding := ledger.Finding{Verdict: f.verdict.String(), At: at.now, Saw: f.saw}
	if f.verdict == Done && f.settles {
		r = f.done(r, at)
		r.Finding = finding
		return r, why, nil
	}
	if r.Finding.Verdict == finding.Verdict && r.Finding.Saw == finding.Saw {
		return r, cause{}, errNoTransition // it is written down already
	}
	if r.DoubtAt.IsZero() && f.settles {
		r.DoubtAt = at.now // a person may settle it, whoever else still seems to be there
	}
	r.Finding, why.code = finding, CodeInDoubt
	return r, why, nil
}

// done is r with the body having written.
func (f found) done(r ledger.Record, at moment) ledger.Record {
	apply := r.Status == ledger.Applying
	r = undoubted(foundDone(r, at, f.undoToken))
	r.Error = ""
	if !apply {
		return r
	}
	r.Before, r.After, r.ResultFlaw = f.before, f.after, f.flaw
	return r
}

// foundDone is a claimed change whose body turned out to have written. Nobody was given the result of an apply, nor a
// token to undo it with: undoToken is the hash of one that nobody has, nil where it cannot be undone. A body runs only
// where the state is what the preview showed, which stands for what a process that died did not write down.
func foundDone(r ledger.Record, at moment, undoToken []byte) ledger.Record {
	if r.Status == ledger.Undoing {
		r.Status = ledger.Undone
		return r
	}
	r.Status, r.AppliedAt, r.UndoToken, r.UndoExpiresAt = ledger.Applied, at.now, undoToken, noTime
	if undoToken != nil && r.UndoTTL > 0 {
		r.UndoExpiresAt = at.now.Add(r.UndoTTL)
	}
	if r.Before == nil {
		r.Before = r.State
	}
	return r
}
