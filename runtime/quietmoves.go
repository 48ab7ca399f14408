package runtime

import "github.com/changesetgen/changesetgen/runtime/ledger"

// The codes of events that leave a change where it is, besides those of refusals. They tell what happened, and are no
// answers to anybody.
const (
	eventApproved      Code = "approved"       // a person said yes
	eventUndoRequested Code = "undo_requested" // by an agent or an operator
	eventTokenRenewed  Code = "token_renewed"  // an answer was lost
	eventLooked        Code = "looked"         // what the look after apply did not see
	eventLateOutcome   Code = "late_outcome"   // a body came back whose change was settled
)

// stays tells whether an event left its change where it was.
func (e Event) stays() bool { return !e.Refusal && e.From == e.To }

// isCalm tells that nothing is wrong by an event: nothing failed, and nothing is in doubt.
func (e Event) isCalm() bool {
	if !e.stays() {
		return e.Code == ""
	}
	switch e.Code {
	case "", eventApproved, eventUndoRequested, eventTokenRenewed, eventLooked, CodeAwaitingApproval, CodeRejected, CodeExpired:
		return true
	}
	return false
}

// says is what happened, in a line of a log.
func (e Event) says() string {
	what := "change"
	if e.To == ledger.Applied || e.To == ledger.Undoing {
		what = "undo"
	}
	switch {
	case e.Refusal:
		return "call refused"
	case !e.stays():
		return "change " + string(e.To)
	}
	switch e.Code {
	case eventApproved, CodeRejected:
		return what + " " + string(e.Code)
	case eventUndoRequested:
		return "undo requested"
	case eventTokenRenewed:
		return "token renewed"
	case eventLooked:
		return "state after apply read"
	case eventLateOutcome:
		return "outcome came late"
	case CodeAwaitingApproval:
		return what + " waits for approval"
	case CodeExpired:
		return "request for an undo expired"
	case CodeInDoubt:
		return what + " in doubt"
	}
	return "change still " + string(e.To)
}
