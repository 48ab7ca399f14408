package runtime

import (
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Why a decision of an operator has no place, and what is told of one that had. Everything in it that comes from a record
// is made visible by who prints it, together with the rest of the text.

func declineUnknown(id string) error {
	return &decline{ErrNoSuchChange, fmt.Sprintf("there is no change %s in this ledger: list the changes, or give another ledger", id)}
}

func declineDamaged(r *ledger.Record, flaw string) error {
	return &decline{ledger.ErrCorrupt, fmt.Sprintf("the record of %s is damaged: %s; it is left as it is: check the ledger", r.ID, flaw)}
}

// declineStatus answers a decision on a change that has moved on, or is not there yet.
func declineStatus(r *ledger.Record, p purpose) error {
	no := &decline{cause: ErrNotWaiting}
	switch {
	case p == forApply && r.Status == ledger.Expired:
		return declineLate(r, p)
	case p == forApply && r.Status == ledger.Rejected:
		no.cause, no.text = ErrDecided, fmt.Sprintf("change %s was rejected%s: that is final; if it is wanted after all, the agent has to preview it again", r.ID, byWhom(r.Decision))
	case p == forApply && r.Status == ledger.Applied:
		no.text = fmt.Sprintf("change %s was applied already: there is nothing left to approve or reject; to have it taken back, request its undo", r.ID)
	case p == forApply && open(r):
		no.text = fmt.Sprintf("change %s is %s, so its apply was begun: it can be approved or rejected no more", r.ID, r.Status)
	case p == forApply:
		no.text = fmt.Sprintf("change %s is %s: there is nothing left to approve or reject", r.ID, r.Status)
	default:
		no.text = fmt.Sprintf("change %s is %s: only an undo of a change that is applied can be approved or rejected", r.ID, r.Status)
	}
	return no
}

func declineNotAsked(r *ledger.Record) error {
	return &decline{ErrNotWaiting, fmt.Sprintf("nobody asks for an undo of %s: request one if it is to be undone", r.ID)}
}

func declineLate(r *ledger.Record, p purpose) error {
	if p == forUndo {
		return &decline{ErrTooLate, fmt.Sprintf("change %s could be undone until %s: a new change has to take it back", r.ID, stamp(r.UndoExpiresAt))}
	}
	return &decline{ErrTooLate, fmt.Sprintf("change %s expired at %s: the agent has to preview it again", r.ID, stamp(r.ExpiresAt))}
}

func declineDecided(r *ledger.Record, p purpose, d ledger.Decision) error {
	return &decline{ErrDecided, fmt.Sprintf("the %s of %s was approved%s: a yes is given once; it can still be rejected until it runs", p.verb(), r.ID, byWhom(d))}
}

// byWhom names who decided, and when; "" for nobody.
func byWhom(d ledger.Decision) string {
	if d.By == "" {
		return ""
	}
	return fmt.Sprintf(" by %s at %s", d.By, stamp(d.At))
}

func declineUndoOf(r *ledger.Record) error {
	advice := "ask for the undo when it is applied"
	switch r.Status {
	case ledger.Undone:
		advice = "it was taken back already"
	case ledger.Undoing:
		advice = "its undo was begun; if nobody carries it out any more, look at the target and reconcile it"
	case ledger.Applying:
		advice = "if nobody carries it out any more, look at the target and reconcile it first"
	case ledger.Pending:
		advice = "it was not applied; reject it if it must not be"
	case ledger.Rejected, ledger.Expired:
		advice = "it was never applied"
	case ledger.ApplyFailed, ledger.UndoFailed:
		advice = "what is in the target is not known for sure: look there"
	}
	return &decline{ErrNotUndoable, fmt.Sprintf("change %s is %s, and only an applied change can be undone: %s", r.ID, r.Status, advice)}
}

func declineNoUndo(r *ledger.Record) error {
	why := "its undo needs the result, which was not kept"
	if r.UndoTTL == 0 {
		why = fmt.Sprintf("the operation %s has no undo", r.Operation)
	}
	return &decline{ErrNotUndoable, fmt.Sprintf("change %s cannot be undone, because %s: a new change has to take it back", r.ID, why)}
}

func declineNotInDoubt(r *ledger.Record) error {
	return &decline{ErrNotInDoubt, fmt.Sprintf("change %s is %s: only one that is applying or undoing can be reconciled", r.ID, r.Status)}
}

func declineRunning(r *ledger.Record) error {
	return &decline{ErrInFlight, fmt.Sprintf("change %s is %s, and the server that carries it out is there, or was heard of until a moment ago: wait for it to end, or to count as gone", r.ID, r.Status)}
}

func declineJoined(r *ledger.Record) error {
	return &decline{ErrNotDone, fmt.Sprintf("what change %s was to write would be there together with a record of that, which there is not: it was not done; settle it as that", r.ID)}
}

func declineMoved(r *ledger.Record) error {
	return &decline{ErrMoved, fmt.Sprintf("change %s has moved on since it was shown to you, and is %s now: look at it again before you settle it", r.ID, r.Status)}
}

func declineSilence(advice string) error {
	return &decline{ErrReason, "the reason is missing: " + advice}
}

func declineLongReason(limit int) error {
	return &decline{ErrReason, fmt.Sprintf("the reason is longer than %d bytes, or no valid UTF-8: say it in fewer words", limit)}
}

func declineClock(r *ledger.Record, at moment) error {
	return &decline{ErrClockBehind, fmt.Sprintf(
		"nothing was decided about %s: the clock here shows %s, which is %s behind the newest time in the ledger; set it right, or wait until it has caught up",
		r.ID, stamp(at.now.Add(-at.behind)), at.behind.Round(time.Second))}
}

// undoOverText is what an event keeps of an undo whose time is over.
func undoOverText(r *ledger.Record) string {
	text := "it could be undone until " + stamp(r.UndoExpiresAt)
	if asksForUndo(r) {
		text += "; the undo that was asked for came to nothing in its time"
	}
	return text
}

// verdictText is what a person found out about a claim.
func verdictText(status ledger.Status, done bool) string {
	what := "apply"
	if status == ledger.Undoing {
		what = "undo"
	}
	if done {
		return "found the " + what + " done"
	}
	return "found the " + what + " not done"
}

// notDoneByWord is what the agent is told of a change that a person settled as failed.
func notDoneByWord(to ledger.Status, note string) string {
	not := "made"
	if to == ledger.UndoFailed {
		not = "taken back"
	}
	return fmt.Sprintf("An operator looked at the target, and found that the change was not %s: %s", not, note)
}

// settledByWord tells that a person settled a failed change, who looked so that nobody else has to.
func settledByWord(r *ledger.Record) bool {
	return (r.Status == ledger.ApplyFailed || r.Status == ledger.UndoFailed) && r.Finding.By != ""
}

// nextByWord is what to do with a change that a person settled as failed. Its outcome stays unknown in the record: their
// word does not prove that what was sent cannot arrive any more.
func nextByWord(r *ledger.Record) string {
	if r.Status == ledger.UndoFailed {
		return "An operator looked, and noted that it was not taken back; the outcome stays unknown in the record, and the undo is not tried again. " +
			"If it still has to be taken back, preview a new change that does that: it shows what is there now."
	}
	return "An operator looked, and noted that it was not made; the outcome stays unknown in the record, and it is not tried again. " +
		"If it is still wanted, preview it again: that shows what is there now."
}
