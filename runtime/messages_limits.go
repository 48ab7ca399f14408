package runtime

import (
	"fmt"
	"math"
	"time"

	"github.com/changesetgen/changesetgen/internal/plural"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What agents are told about limits.

func refuseItems(items int64, limit int) *refusal {
	if items == math.MaxInt { // see Count
		return &refusal{
			code:    CodeLimitExceeded,
			message: fmt.Sprintf("How many things this change affects is negative, or more than can be counted; this operation allows %d. Nothing was written.", limit),
			hint:    "Give a number that counts them and preview again.",
		}
	}
	return &refusal{
		code:    CodeLimitExceeded,
		message: fmt.Sprintf("This change affects %d things at once; this operation allows %d. Nothing was written.", items, limit),
		hint:    "Split the change into smaller ones and preview each.",
	}
}

// refuseChanges answers where a limit is reached. When there is room again may be unknown.
func refuseChanges(l Limits, roomAt time.Time) *refusal {
	whose := "by one caller"
	if l.OfAll {
		whose = "by all callers of this server together"
	}
	return &refusal{
		code:    CodeLimitExceeded,
		message: fmt.Sprintf("%s of this operation in %s is what is allowed %s, and that many were made. Nothing was written.", plural.Of(l.Changes, "change"), spanOf(l.Per), whose),
		hint:    "Nothing was spent. " + waitFor(roomAt) + "make the same call again. Tell the person if it cannot wait.",
		roomAt:  roomAt,
	}
}

func waitFor(roomAt time.Time) string {
	if roomAt.IsZero() {
		return "Wait until the earlier ones are older than that, and "
	}
	return fmt.Sprintf("There is room again at %s: wait until then, and ", stamp(roomAt))
}

// refuseFull answers for a claim that there was no room for. It was refused, so the change waits as before.
func refuseFull(claimed *ledger.Record, l Limits, roomAt time.Time) *refusal {
	no := refuseChanges(l, roomAt).about(claimed)
	no.status = ledger.Pending
	if lapses(claimed, roomAt) {
		no.hint = "Nothing was spent. " + roomTold(claimed, roomAt) + " Tell the person if it cannot wait."
	}
	return no
}

// lapses tells whether a change that waits is over before there is room for it, so that a yes to it would be wasted.
func lapses(r *ledger.Record, roomAt time.Time) bool {
	return !roomAt.IsZero() && !roomAt.Before(r.ExpiresAt)
}

// roomTold says of a change that waits when there is room for it; "" where there is, or where that is not known.
func roomTold(r *ledger.Record, roomAt time.Time) string {
	switch {
	case roomAt.IsZero():
		return ""
	case !lapses(r, roomAt):
		return fmt.Sprintf("As many changes as are allowed were made already. There is room again at %s: wait until then, and make the same call again.", stamp(roomAt))
	case approvalNamed(r.Approval) == ByToken:
		return fmt.Sprintf("As many changes as are allowed were made already. There is room again at %s. This change expires before that: preview it again then, and apply that one.", stamp(roomAt))
	}
	return fmt.Sprintf("As many changes as are allowed were made already. There is room again at %s. This change expires before that, and a person's yes with it: preview it again then, and ask for a yes to that one.", stamp(roomAt))
}

func refuseTooManyPending(limit int, ofAll bool) *refusal {
	no := &refusal{
		code:    CodeTooManyPending,
		message: fmt.Sprintf("There are %d previews waiting already, which is as many as one caller may have. Nothing was recorded or written.", limit),
		hint:    "Apply what was agreed to, and let the rest expire; then preview again.",
	}
	if ofAll {
		no.message = fmt.Sprintf("There are %d previews waiting in the ledger of this server, which is as many as it keeps. Nothing was recorded or written.", limit)
		no.hint = "Preview again when some have expired. If it stays so: " + hintOperator
	}
	return no
}

// spanOf writes a length of time without its empty parts: 1h, not 1h0m0s.
func spanOf(d time.Duration) string {
	switch {
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	case d%time.Minute == 0:
		return fmt.Sprintf("%dm", d/time.Minute)
	}
	return d.String()
}
