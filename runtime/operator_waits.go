package runtime

import "github.com/changesetgen/changesetgen/runtime/ledger"

// Waits is whose move a change waits for.
type Waits string

// Whose move it may be.
const (
	WaitsForNobody       Waits = ""
	WaitsForApproval     Waits = "approval"      // an operator has to say yes to the apply
	WaitsForUndoApproval Waits = "undo_approval" // or to the undo that was asked for
	WaitsForAgent        Waits = "agent"         // whoever has the token may carry it out: it needs no yes, or has it
	WaitsForServer       Waits = "server"        // a server has to carry an operator's undo out, or to settle what it did not write
	WaitsForReconcile    Waits = "reconcile"     // somebody has to look at the target
)

// forAPerson tells whether an operator has to say or to find out something.
func (w Waits) forAPerson() bool {
	return w == WaitsForApproval || w == WaitsForUndoApproval || w == WaitsForReconcile
}

// waitsFor does not look at whether anybody is there who could move it.
func waitsFor(v *View, r *ledger.Record) Waits {
	switch {
	case v.InDoubt && r.Joined:
		return WaitsForServer
	case v.InDoubt:
		return WaitsForReconcile
	case v.Seen.Subject == SubjectNone:
		return WaitsForNobody
	case waitsForAPerson(r) && v.Seen.Subject == SubjectUndo:
		return WaitsForUndoApproval
	case waitsForAPerson(r):
		return WaitsForApproval
	case v.Seen.Subject == SubjectUndo && r.UndoRequest.Channel != channelAgent:
		return WaitsForServer
	}
	return WaitsForAgent
}
