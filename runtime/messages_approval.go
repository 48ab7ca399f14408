package runtime

import (
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/internal/visible"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What agents are told about a person's yes or no. They are told what needs it, and not by which command it is said: an
// agent with a shell would be led to say it itself.

const (
	// nextOperatorOnly is what to do with a preview that a person has to approve, where no tool applies; %s is the change.
	nextOperatorOnly = "Show the summary and the diff to the person. An operator also has to approve change %s, which no tool of this server can do."
	// nextOperator is nextOperatorOnly where a tool does.
	nextOperator = nextOperatorOnly +
		" After that, call %s with change_id and confirmation_token; before it, that answers awaiting_approval and spends nothing."
	nextApproved = "A person has approved it. Call %s with change_id and confirmation_token to carry it out."
	nextShowOnly = "Show the summary and the diff to the person."
	nextWaiting  = "Nothing has been written. An operator has to approve change %s; until then apply answers awaiting_approval and spends nothing. To learn of the yes, ask for this status again."
	// nextWaitingOnly, nextApprovedOnly and nextPendingOnly are for where no tool applies.
	nextWaitingOnly  = "Nothing has been written. An operator has to approve change %s, which no tool of this server can do."
	nextApprovedOnly = "Nothing has been written. A person has approved it."
	nextPendingOnly  = "Nothing has been written."
	// nextPendingApproved is for whoever asks for the status of a change that a person said yes to.
	nextPendingApproved = "A person has approved it. Apply it with the token from the preview before it expires."
	// nextAppliedUndoAsks is for an applied change whose undo takes more than its token.
	nextAppliedUndoAsks = " The undo then waits for a person's yes: an operator has to approve it for change %s, and the same call runs it after that."
	// nextUndoWaiting is for an applied change whose undo was asked for.
	nextUndoWaiting = "The change was applied. An undo was asked for, and an operator has to approve it for change %s; after that, the same undo call works %s."
	// nextUndoRejected is for an applied change whose undo a person said no to.
	nextUndoRejected = "The change was applied. A person rejected its undo%s. Do not try again without asking them."
	nextHidden       = " Writes are switched off on this server, which has no tools that write until an operator switches them on."
	// rejectedBefore and rejectedOfOthers are why a change needs a yes to which a person said no before.
	rejectedBefore   = "A person rejected the same change before%s."
	rejectedOfOthers = "A person rejected the same change before, when somebody else asked for it."
	// nextRejectedBefore follows them.
	nextRejectedBefore = "Tell that to whoever asked for this one."
)

// aboutApproval is what the description of a tool says of a person's yes, after its contract.
func aboutApproval(a Approval) string {
	if a == ByToken {
		return ""
	}
	return " It may also need an operator's yes, which no tool of this server can give; the preview and awaiting_approval say so."
}

// refuseAwaiting answers an apply that has no yes yet. The token stays good for when there is one.
func refuseAwaiting(r *ledger.Record, earlier *rejection) *refusal {
	return (&refusal{
		code:    CodeAwaitingApproval,
		message: joined(earlier.told(), "A person has to approve this change first, which no tool of this server can do. Nothing was written and nothing was spent."),
		hint: fmt.Sprintf("Tell the person that an operator has to approve change %s. Then make the same call again, until %s; get_change_status says whether it is approved.",
			r.ID, stamp(r.ExpiresAt)),
	}).about(r)
}

// refuseUndoAwaiting answers an undo that has no yes yet. The call is a request for it.
func refuseUndoAwaiting(r *ledger.Record) *refusal {
	return (&refusal{
		asksUndo: true,
		code:     CodeAwaitingApproval,
		message:  "A person has to approve this undo first; a yes to the apply is none to it. Nothing was undone and nothing was spent, and the request is recorded.",
		hint: fmt.Sprintf("Tell the person that an operator has to approve the undo of change %s. Then make the same call again; it works %s.",
			r.ID, undoWindow(r)),
	}).about(r)
}

func refuseUndoRejected(r *ledger.Record) *refusal {
	no := &refusal{
		code:    CodeRejected,
		message: "A person rejected the undo of this change, which stays applied.",
		hint:    "Do not ask again without asking the person who rejected it.",
	}
	if r.UndoDecision.Reason != "" {
		no.message = "A person rejected the undo of this change, which stays applied: " + r.UndoDecision.Reason
	}
	return no.about(r)
}

func refusePayloadMismatch(r *ledger.Record) *refusal {
	return (&refusal{
		code:    CodePayloadMismatch,
		message: "This change is of another payload than expected_payload_hash says. Nothing was written and nothing was spent.",
		hint: fmt.Sprintf("Its payload_hash is %s: ask get_change_status what it would do, and show that. Apply it, with that hash or none, only if it is what was agreed to.",
			r.PayloadHash),
	}).about(r)
}

// reasonTold is a reason as it ends a clause; "" if there is none, or none that this caller may know.
func reasonTold(reason string) string {
	if reason == "" {
		return ""
	}
	return " (" + visible.Value(reason) + ")"
}
