package runtime

import (
	"github.com/changesetgen/changesetgen/runtime/internal/shown"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// damage says what no guard can have written of a record; "" if it is sound. Such a row was edited or is broken, and
// what it says of itself must not decide whether a body runs. Payload and tokens are not looked at: their hashes are.
func damage(r *ledger.Record) string {
	switch r.Status {
	case ledger.Pending, ledger.Rejected, ledger.Expired:
		if r.ClaimID != "" { // nothing returns to these
			return damagedByClaim
		}
	case ledger.Applying, ledger.Applied, ledger.ApplyFailed, ledger.Undoing, ledger.Undone, ledger.UndoFailed:
	default:
		return damagedStatus
	}
	if !r.ExpiresAt.After(r.CreatedAt) {
		return damagedExpiry
	}
	if _, err := shown.Read(r.Shown); err != nil {
		return damagedShown
	}
	return ""
}

// unlikeShown is damage, or that what would run, or what is shown of it, is not what was previewed. It is asked wherever
// that would be carried out, shown, or agreed to. Only what a person saw in the target, and the passing of time, move a
// change all the same.
func unlikeShown(r *ledger.Record) string {
	flaw := damage(r)
	if flaw == "" && r.ShownDigest != "" && r.ShownDigest != shownDigest(r) {
		return damagedDigest
	}
	return flaw
}
