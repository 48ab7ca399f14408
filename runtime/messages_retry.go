package runtime

import (
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What agents and operators are told about a change that tries a failed one again.

// retryReason says in an event where a change comes from.
func retryReason(failed string) string {
	return "tries " + failed + " again, which wrote nothing: the same payload, under the same yes and until the same time"
}

// hintRetryOffered is for an answer that has the token of the retry.
func hintRetryOffered(r *ledger.Record, applyTool string) string {
	return fmt.Sprintf("Nothing was written. Once the cause is dealt with, the same change may be tried again, as it was agreed to, until %s: "+
		"call %s with change_id and confirmation_token of retry. It is not run by itself.", stamp(r.ExpiresAt), applyTool)
}

// hintRetryElsewhere is for a retry that waits no longer.
func hintRetryElsewhere(r *ledger.Record) string {
	return fmt.Sprintf("Nothing was written by this change. It was to be tried again as %s: ask get_change_status about that one.", r.ID)
}

// hintRetryUntold is for a retry that may wait, and of which the ledger took no new token.
func hintRetryUntold(r *ledger.Record) string {
	return fmt.Sprintf("Nothing was written by this change. The change %s tries it again; the ledger took no new token for it now, and the earlier one is as good as before. "+
		"Make the same call again in a moment for another.", r.ID)
}

// nextRetried is what to do about a failed change that is tried again.
func nextRetried(r *ledger.Record) string {
	return fmt.Sprintf("Nothing was written by this change. The change %s tries it again: ask get_change_status about that one. "+
		"Its token is in the answer of this apply; made again with its own token, the same call gives a new one.", r.RetryID)
}
