package runtime

import (
	"errors"
	"fmt"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// lookMark begins what a look said of a change in doubt, behind the reason for the doubt.
const lookMark = " A look since then: "

// lookReason says what a look found, as events keep it.
func lookReason(v Verdict, saw string) string {
	return fmt.Sprintf("a look found %s (%s)", v, saw)
}

// doubtWithLook is the reason for the doubt of r, with what the latest look found.
func doubtWithLook(r *ledger.Record, v Verdict, saw string) string {
	reason, _, _ := strings.Cut(r.DoubtReason, lookMark)
	if reason == "" {
		reason = contactLost(r)
	}
	why := "That proves nothing: what was sent may still arrive."
	if v == Done {
		why = "Whoever carries it out may still be at work, so an operator has to settle it."
	}
	return reason + lookMark + fmt.Sprintf("%s (%s). %s", v, saw, why)
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

// neverRun is the failure of a claim whose body was not called, because the ledger did not tell whether it had the claim.
func neverRun(p purpose) failure {
	code := CodeApplyFailed
	if p == forUndo {
		code = CodeUndoFailed
	}
	message := fmt.Sprintf("The %s was not begun, because the ledger did not answer.", p.verb())
	return failure{code: code, message: message, err: message, outcome: outcomeNotApplied, reason: "the claim was not confirmed, and nothing was run"}
}
