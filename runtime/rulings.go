package runtime

import (
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What ends without being carried out: by the passing of time, or by a person's word on what was carried out.
type (
	// expire closes a change whose approval is over, and what could still be undone, or was to be, when the time for that
	// is over. What is written down stays so when the clock is set back.
	expire struct{}
	// word is a person's verdict on a change in doubt, after they looked at the target. It proves nothing: an undo that
	// was not done, as they see it, is not tried again.
	word struct {
		person           // their reason says what was checked
		claim     string // what they looked at
		done      bool   // what was begun was done
		live      bool   // the claim is known to be carried out now: there is no doubt to settle
		undoToken []byte // hash of a token that nobody has, for an apply that was done: the change can be undone on request
	}
)

func (expire) decide(r ledger.Record, at moment, _ policy) (ledger.Record, cause, error) {
	why := cause{actor: actorGuard, code: CodeExpired}
	switch {
	case damage(&r) != "":
		return r, cause{}, errNoTransition
	case r.Status == ledger.Pending && !at.now.Before(r.ExpiresAt):
		r = unmarked(r)
		r.Status = ledger.Expired
	case r.Status == ledger.Applied && undoOver(&r, at.now) && (asksForUndo(&r) || hasUndo(&r)):
		why.reason = undoOverText(&r)
		r.UndoToken, r.UndoRequest = nil, ledger.Request{}
		if r.UndoDecision.Verdict == ledger.Approved {
			r.UndoDecision = ledger.Decision{}
		}
	default:
		return r, cause{}, errNoTransition
	}
	return r, why, nil
}

func (w word) decide(r ledger.Record, at moment, p policy) (ledger.Record, cause, error) {
	switch flaw := damage(&r); {
	case flaw != "":
		return r, cause{}, declineDamaged(&r, flaw)
	case !open(&r):
		return r, cause{}, declineNotInDoubt(&r)
	case r.ClaimID != w.claim:
		return r, cause{}, declineMoved(&r)
	case w.live:
		return r, cause{}, declineRunning(&r)
	case w.done && r.Joined:
		return r, cause{}, declineJoined(&r)
	case w.silent():
		return r, cause{}, declineSilence("say in a note what was checked, and how")
	}
	why := cause{actor: actorOperator, reason: w.says(verdictText(r.Status, w.done))}
	if r.Joined {
		return w.lapsed(r, at, p, why)
	}
	switch {
	case r.Status == ledger.Applying && w.done:
		r = w.applied(r, at)
	case r.Status == ledger.Applying:
		r = w.failed(r, ledger.ApplyFailed, CodeApplyFailed)
	case w.done:
		r.Status, r.Error = ledger.Undone, ""
	default:
		r = w.failed(r, ledger.UndoFailed, CodeUndoFailed)
	}
	r = undoubted(r)
	r.Finding = w.finding(at)
	return r, why, nil
}

// lapsed settles a joined claim. That it was not done is no matter of what the person saw: it is proved by their word being
// recorded.
func (w word) lapsed(r ledger.Record, at moment, p policy, why cause) (ledger.Record, cause, error) {
	r, settled, err := lapsed{claim: w.claim}.decide(r, at, p)
	if err != nil {
		return r, cause{}, err
	}
	r.Finding, why.code = w.finding(at), settled.code
	return r, why, nil
}

// applied settles an apply that was done. What it left is not known, so an undo has to look first; and one that needs the
// result, which is lost, is none.
func (w word) applied(r ledger.Record, at moment) ledger.Record {
	undoToken, flaw := w.undoToken, ""
	if undoNeedsResult(&r) {
		undoToken, flaw = nil, flawLost
	}
	if r.UndoTTL == 0 {
		undoToken = nil
	}
	r = foundDone(r, at, undoToken)
	r.After, r.Error, r.ResultFlaw = nil, "", flaw
	return r
}

// undoNeedsResult tells, by what was shown, whether an undo cannot do without the result. What cannot be read is not undone.
func undoNeedsResult(r *ledger.Record) bool {
	s, err := shown.Read(r.Shown)
	return err != nil || s.NeedsResult
}

// finding is the verdict as the record keeps it.
func (w word) finding(at moment) ledger.Finding {
	verdict := NotDone
	if w.done {
		verdict = Done
	}
	return ledger.Finding{Verdict: verdict.String(), At: at.now, By: w.name, Channel: w.channel, Saw: w.reason}
}

func (w word) failed(r ledger.Record, to ledger.Status, code Code) ledger.Record {
	r.Status, r.Code, r.Outcome = to, string(code), outcomeUnknown
	r.Message = notDoneByWord(to, w.reason)
	return r
}
