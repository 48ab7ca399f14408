package runtime

import (
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/requestid"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What agents are told about calls that they make again.

const (
	aboutRequestID = "Optional: a name of your choice for this request. The same preview with the same request_id is answered with the same change, " +
		"so a call whose answer was lost can be made again. Not part of the payload."
	aboutExpected = "Optional: the payload_hash from the preview, to be sure that this is the change that was agreed to."
)

const (
	// nextRepeated is for a request that was made before, and whose change nobody has claimed.
	nextRepeated = "This request_id was used before: this is the change it made, as it was shown, with a new confirmation_token that replaces the earlier one. "
	// nextRequestSpent follows what to do with a change that its request_id still stands for.
	nextRequestSpent = "This request_id stands for that change: to preview the same again, give another one."
	// undoTokenAnew is where an undo token comes from that a lost answer had.
	undoTokenAnew = "If that answer was lost, make the same apply call again: it runs nothing, and gives a new undo_token."
)

func refuseRequestReused(r *ledger.Record) *refusal {
	return (&refusal{
		code:    CodeRequestIDReused,
		message: "This request_id was used before, for another payload. Nothing was recorded or written.",
		hint:    "Give another request_id for another change. Ask get_change_status about the one that has it.",
	}).about(r)
}

// refuseRequestChanged is for a request whose change could not be applied any more.
func refuseRequestChanged(r *ledger.Record) *refusal {
	no := refuseOperationChanged(r, forApply)
	no.hint = joined(no.hint, nextRequestSpent)
	return no
}

func refuseNoChange() *refusal {
	return &refusal{
		code:    CodeNoChange,
		message: "Everything is as this change would make it already, so there is nothing to apply. Nothing was recorded or written.",
		hint:    "Tell the person that it is so already. Preview another change if something else is wanted.",
	}
}

// wrongRequestID says what is wrong with a request id, and not what it is.
func wrongRequestID(found string) []payload.Violation {
	return []payload.Violation{violated("/"+requestid.Name, fmt.Sprintf("a string of 1 to %d characters", requestid.MaxChars), found)}
}

// Why a token was replaced, as events keep it.
const (
	reasonRequestRepeated = "the request was made again: a new confirmation token replaces the one before"
	reasonApplyRepeated   = "the apply was made again with its token: a new undo token replaces the one before"
)

// nextAppliedReplaced is for an applied change that moved on before its answer was there.
const nextAppliedReplaced = " The same call was made again meanwhile, and was given the undo_token; the change may have moved on since. " +
	"Ask get_change_status; to take the change back without that token, make the same apply call again: it runs nothing, and gives a new one."
