package memledger

import (
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// matches tells whether a query selects a record, whatever its page.
func matches(r *ledger.Record, q *ledger.Query, now time.Time) bool {
	within := func(at time.Time, span time.Duration) bool { return !at.IsZero() && at.After(now.Add(-span)) }
	switch {
	case q.Statuses != nil && !slices.Contains(q.Statuses, r.Status),
		q.Server != "" && r.Server != q.Server,
		q.Operations != nil && !slices.Contains(q.Operations, r.Operation),
		q.By != nil && (r.Scope != q.By.Scope || r.Caller != q.By.Caller),
		q.RequestID != "" && r.RequestID != q.RequestID,
		q.PayloadHash != "" && r.PayloadHash != q.PayloadHash,
		q.RetryOf != "" && r.RetryOf != q.RetryOf,
		!q.UpdatedBefore.IsZero() && !r.UpdatedAt.Before(toMillisecond(q.UpdatedBefore)),
		q.UpdatedWithin != 0 && !within(r.UpdatedAt, q.UpdatedWithin),
		q.ClaimedWithin != 0 && !within(r.ClaimedAt, q.ClaimedWithin),
		q.Unexpired && !r.ExpiresAt.After(now),
		q.UndoOver && !undoOver(r, now),
		q.UndoRequested && (r.Status != ledger.Applied || r.UndoRequest == ledger.Request{}),
		q.Joined && !r.Joined,
		q.IDs != nil && !slices.Contains(q.IDs, r.ID):
		return false
	}
	return true
}

// undoOver tells whether a record is settled and no undo token can be used on it any more.
func undoOver(r *ledger.Record, now time.Time) bool {
	switch r.Status {
	case ledger.Pending, ledger.Applying, ledger.Undoing:
		return false
	case ledger.Applied:
		return r.UndoToken == nil || !r.UndoExpiresAt.IsZero() && !r.UndoExpiresAt.After(now)
	}
	return true
}

// prunable tells whether a record that a query selects may be deleted.
func prunable(r *ledger.Record, q *ledger.Query, now time.Time) bool {
	return undoOver(r, now) && (r.Status != ledger.Applied || slices.Contains(q.Statuses, ledger.Applied))
}
