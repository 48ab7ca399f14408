package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// sawOtherOperation stands in place of what a look saw where there is none: it would tell of something else.
const sawOtherOperation = "nothing is looked at: its operation behaves differently since"

// lookReason says what a look found, as events keep it.
func lookReason(v Verdict, saw string) string {
	if saw == sawOtherOperation {
		return saw
	}
	return fmt.Sprintf("a look found %s (%s)", v, saw)
}

// hookSaysSo names the hook that a verdict is of, as operators read it.
func hookSaysSo(operation string) string { return fmt.Sprintf("Reconcile of %s says so", operation) }

// doubtOf says what nobody knows, and why: as whoever carried the claim out left it, and what the latest look found.
func doubtOf(r *ledger.Record) string {
	return notKnown(r) + joined(cmp.Or(r.DoubtReason, contactLost(r)), lookedSince(&r.Finding))
}

// notKnown is what is not known of a claim in doubt.
func notKnown(r *ledger.Record) string {
	if r.Status == ledger.Undoing {
		return "The change was applied, and nobody knows whether it was taken back: "
	}
	return "Nobody knows whether the change was written: "
}

// lookedSince tells of a look that settled nothing; "" for none.
func lookedSince(f *ledger.Finding) string {
	switch {
	case f.Verdict == "":
		return ""
	case f.Saw == sawOtherOperation:
		return "Nothing is looked at: its operation behaves differently since, so an operator has to settle it."
	}
	why := "That proves nothing: what was sent may still arrive."
	if f.Verdict == Done.String() {
		why = "Whoever carries it out may still be at work, so an operator has to settle it."
	}
	return fmt.Sprintf("A look since then: %s (%s). %s", f.Verdict, f.Saw, why)
}

// ranOn ends the reason of a doubt about a body that has not come back. When it does, the reason is another one.
const ranOn = "It was still running then: if it ends while its server is there, what it returns may settle the change."

// noEndRecorded tells of a body that ran on after its time, and that no end of it is recorded.
func noEndRecorded(r *ledger.Record) bool { return strings.HasSuffix(r.DoubtReason, ranOn) }

// mayRunYet tells an operator that a body that ran on may still do so; "" where nothing says so.
func mayRunYet(r *ledger.Record, holder ledger.Liveness) string {
	if holder != ledger.Alive || !noEndRecorded(r) {
		return ""
	}
	return "No end of it is recorded, and its server is there: wait, it may still write."
}

// contactLost is the reason for the doubt about a claim whose holder left none.
func contactLost(r *ledger.Record) string {
	return fmt.Sprintf("it was %s when contact was lost.", r.Status)
}

// lookFailure says why a look told nothing, without what an author's error may hold.
func lookFailure(err error) string {
	var no *refusal
	if errors.As(err, &no) {
		return "the look failed: " + string(no.code)
	}
	return "the look failed: " + reduced(err)
}

// reasonForgotten is why a claim is in doubt that nobody left a word about.
const reasonForgotten = "the guard that made the claim does not carry it out any more, and does not know how it ended"

// failedInside is the doubt that a panic of our own leaves.
func failedInside(status ledger.Status) failure {
	message := fmt.Sprintf("the server failed inside while it was %s.", status)
	return failure{message: message, err: message}
}

// neverRun is the failure of a claim whose body was not called, because the ledger did not tell whether it had the claim.
func neverRun(p purpose) failure {
	code := CodeApplyFailed
	if p == forUndo {
		code = CodeUndoFailed
	}
	message := fmt.Sprintf("The %s was not begun, because the ledger did not answer.", p.verb())
	return failure{code: code, message: message, err: message, outcome: outcomeNotApplied, reason: "the claim was not confirmed, and nothing was run"}
}
