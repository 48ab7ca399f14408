package runtime

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/internal/hold"
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
	if r.Joined {
		return "Nothing of it is written: that is kept together with the record of how it ended, which there is not yet."
	}
	return notKnown(r) + joined(cmp.Or(r.DoubtReason, contactLost(r)), lookedSince(&r.Finding))
}

// settlesItself tells an operator what becomes of a joined claim that is not carried out any more; "" for any other.
func settlesItself(r *ledger.Record) string {
	if !r.Joined {
		return ""
	}
	return "There is nothing to look at: a running server that has the operation soon settles it as not done; without one, an operator does."
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

// runsOn tells that a failure is the doubt about a body that has not come back.
func (f *failure) runsOn() bool { return strings.HasSuffix(f.message, ranOn) }

// notBack is the doubt about a body that has not come back although its context is over.
func notBack(p purpose, limit time.Duration, cause error) failure {
	message, reason := fmt.Sprintf("its %s did not return within %s.", p.verb(), limit), "timeout"
	if errors.Is(cause, hold.ErrLost) {
		message, reason = fmt.Sprintf("%s while its %s ran, which was told to end.", lostLedger, p.verb()), "the ledger was lost"
	}
	return failure{message: joined(message, ranOn), err: message, reason: reason}
}

// doubtful is the doubt that a body left with its error.
func doubtful(p purpose, err, cause error) failure {
	f := failure{err: err.Error(), reason: reduced(err)}
	if code, text := told(err, ""); code != "" {
		f.message = fmt.Sprintf("its %s said: %s.", p.verb(), text)
	} else {
		f.message = fmt.Sprintf("its %s ended without an answer (%s).", p.verb(), text)
	}
	if errors.Is(cause, hold.ErrLost) {
		f.message = fmt.Sprintf("%s. Then %s", lostLedger, f.message)
	}
	return f
}

// lostLedger begins what is said of a claim whose hold was lost.
const lostLedger = "its server lost touch with the ledger"

// notBegun is why no body is run under a hold that is lost: others may look already at what it left.
func notBegun(p purpose) *stop {
	return &stop{failure: unrun(p, "this server lost touch with the ledger", "the hold of the claim was lost, and nothing was run")}
}

// noEndRecorded tells of a body that ran on after its time, and that no end of it is recorded.
func noEndRecorded(r *ledger.Record) bool { return strings.HasSuffix(r.DoubtReason, ranOn) }

// endRecorded tells of a doubt that whoever carried the claim out wrote down when its body had ended.
func endRecorded(r *ledger.Record) bool { return r.DoubtReason != "" && !noEndRecorded(r) }

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
	return unrun(p, "the ledger did not answer", "the claim was not confirmed, and nothing was run")
}

// unrun is the failure of a claim whose body was not called.
func unrun(p purpose, why, reason string) failure {
	message := fmt.Sprintf("The %s was not begun, because %s.", p.verb(), why)
	return failure{code: failedCode(p), message: message, err: message, outcome: outcomeNotApplied, reason: reason}
}
