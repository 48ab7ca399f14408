package runtime

import (
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What agents are told about limits.

func refuseItems(items int64, limit int) *refusal {
	return &refusal{
		code:    CodeLimitExceeded,
		message: fmt.Sprintf("This change affects %d things at once; this operation allows %d. Nothing was written.", items, limit),
		hint:    "Split the change into smaller ones and preview each.",
	}
}

func refuseChanges(l Limits) *refusal {
	whose := "by one caller"
	if l.OfAll {
		whose = "by all callers together"
	}
	return &refusal{
		code:    CodeLimitExceeded,
		message: fmt.Sprintf("%s of this operation in %s is what is allowed %s, and that many were made. Nothing was written.", counted(l.Changes, "change"), spanOf(l.Per), whose),
		hint:    "Nothing was spent. Wait until the earlier ones are older than that, and make the same call again. Tell the person if it cannot wait.",
	}
}

// refuseFull answers for a claim that there was no room for. It was refused, so the change waits as before.
func refuseFull(claimed *ledger.Record, l Limits) *refusal {
	no := refuseChanges(l).about(claimed)
	no.status = ledger.Pending
	return no
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
