package runtime

import (
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What the end of a claim means for the target, until the ledger has recorded it.

func (settleApplied) known(*ledger.Record) string { return "The change was written." }

func (s settleUndone) known(*ledger.Record) string {
	if s.reason != "" {
		return "The state was as before the change already, so the undo wrote nothing."
	}
	return "The change was taken back."
}

func (s settleFailed) known(r *ledger.Record) string {
	proved := s.failure.outcome == outcomeNotApplied
	switch {
	case r.Status == ledger.Undoing && proved:
		return "The undo wrote nothing, so the change is still applied."
	case r.Status == ledger.Undoing:
		return "The undo failed, and nobody knows whether it took the change back."
	case proved:
		return "Nothing was written."
	}
	return "The apply failed, and nobody knows whether it wrote."
}

func (d doubt) known(r *ledger.Record) string { return notKnown(r) + d.failure.message }

// refuseSettled answers for a claim that was carried out, and that somebody else settled before its end was recorded.
func refuseSettled(claim, stored *ledger.Record, known string, now time.Time) *refusal {
	p := forApply
	if claim.Status == ledger.Undoing {
		p = forUndo
	}
	no := refuseAlreadyUsed(stored, p, now)
	no.message = joined(fmt.Sprintf("This call carried the %s out, and somebody else settled the change before its end was recorded: it is %s.",
		p.verb(), stored.Status), "What this call knows of it: "+known)
	return no
}

// saysOvertaken is what an agent is told of a joined body that others were quicker than.
const saysOvertaken = "somebody else changed the same at the same time"

// reasonAsBefore is why an undo needed no body.
const reasonAsBefore = "the state was as before the change already; nothing was run"

// notAnswered is what is known of a joined claim before the ledger has answered for its transaction.
func notAnswered(r *ledger.Record) string { return notKnown(r) + "the ledger did not answer." }

// notTaken is the failure of a joined claim whose transaction the ledger did not keep.
func notTaken(p purpose, err error) failure {
	f := failure{code: failedCode(p), err: err.Error(), outcome: outcomeNotApplied, reason: "its transaction was not committed"}
	why := "the ledger did not take it"
	if errors.Is(err, ledger.ErrBusy) {
		why = "the ledger was busy"
	}
	f.message = fmt.Sprintf("Nothing was written by the %s: %s.", p.verb(), why)
	return f
}

// notCompleted is the failure of a joined claim that nobody carries out any more.
func notCompleted(status ledger.Status) failure {
	p := forApply
	if status == ledger.Undoing {
		p = forUndo
	}
	message := fmt.Sprintf("Nothing was written: whoever carried out the %s ended before it was recorded, and what it had written until then was rolled back.", p.verb())
	return failure{code: failedCode(p), message: message, err: message, outcome: outcomeNotApplied, reason: "a joined claim that is not carried out any more wrote nothing"}
}

// failedCode is the code of a failure that has none of its own.
func failedCode(p purpose) Code {
	if p == forUndo {
		return CodeUndoFailed
	}
	return CodeApplyFailed
}

// reasonLooked is what an event keeps of a look at what an apply left that came late.
func reasonLooked(before []byte, differs string) string {
	switch {
	case before == nil:
		return "the state after apply was looked at later: what was before is not known"
	case differs == "":
		return "the state after apply was looked at later: it is as before"
	}
	return "the state after apply was looked at later: it differs from before in " + differs
}

// reasonNotCarriedOut is what an event keeps of a request that ended without a claim.
func reasonNotCarriedOut(by, why string) string {
	return fmt.Sprintf("the undo that %s requested was not carried out: %s", by, why)
}

// hintShownNow is for operators whose request only looked.
const hintShownNow = "What was found is shown with the change now: request the undo again if that may be written over."

// What is told of an apply that wrote, and whose DoneWhen does not hold right after it.
const (
	reasonOverwritten      = "the look after apply did not find what it was to make: somebody wrote since, or it has not arrived"
	nextAppliedOverwritten = " But a look right after it did not find what it was to make: somebody may have written since. Tell the person that too. " +
		"The first undo looks again, and shows what is there before anything is undone."
)
