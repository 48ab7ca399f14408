// Package columns says in which columns of a table a store keeps a change and its events, and as what: texts, numbers
// and truths as they are, times and durations as milliseconds, bytes and JSON documents as bytes.
//
// The values of a row are to be bound and scanned alike: pointers to texts, numbers and truths, and Fields for the rest.
package columns

import (
	"database/sql"
	"database/sql/driver"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The columns that go with FixedOf, MutableOf and EventOf, in their order. Mutable begins with the one that is in an index
// and mostly stays as it is, and ends with the time of the write that left them so: all others are known before that.
const (
	Fixed = "id, server, operation, scope, caller, digest, undo_digest, payload_hash, " +
		"payload, state, shown, shown_digest, created_at, request_id, request_hash, retry_of, rejected, " +
		"approval, undo_approval, ttl, undo_ttl, items, sensitive"
	Mutable = "claimed_at, write_id, status, expires_at, apply_token, undo_token, decision, undo_decision, undo_request, " +
		"claim_id, holder, joined, doubt_at, doubt_reason, finding, code, message, error, outcome, retry_id, " +
		"state_before, state_after, result, result_flaw, sensitive_now, applied_at, undo_expires_at, updated_at"
	Event = "seq, at, actor, from_status, to_status, code, reason"
)

// Field is a value of a column that is more than a text, a number or a truth. It binds and scans what it was made of.
type Field interface {
	driver.Valuer
	sql.Scanner
}

// FixedOf are the values of Fixed.
func FixedOf(r *ledger.Record) []any {
	return []any{
		&r.ID, &r.Server, &r.Operation, &r.Scope, &r.Caller, &r.Digest, &r.UndoDigest, &r.PayloadHash,
		Bytes(&r.Payload), Bytes(&r.State), Bytes(&r.Shown), &r.ShownDigest, Time(&r.CreatedAt),
		&r.RequestID, &r.RequestHash, &r.RetryOf, &r.Rejected,
		&r.Approval, &r.UndoApproval, Duration(&r.TTL), Duration(&r.UndoTTL), &r.Items, Bytes(&r.Sensitive),
	}
}

// MutableOf are the values of Mutable.
func MutableOf(r *ledger.Record) []any {
	return []any{
		Time(&r.ClaimedAt), &r.WriteID, &r.Status, Time(&r.ExpiresAt), Bytes(&r.ApplyToken), Bytes(&r.UndoToken),
		decision(&r.Decision), decision(&r.UndoDecision), request(&r.UndoRequest),
		&r.ClaimID, &r.Holder, &r.Joined,
		Time(&r.DoubtAt), &r.DoubtReason, finding(&r.Finding), &r.Code, &r.Message, &r.Error, &r.Outcome, &r.RetryID,
		Bytes(&r.Before), Bytes(&r.After), Bytes(&r.Result), &r.ResultFlaw, Bytes(&r.SensitiveNow),
		Time(&r.AppliedAt), Time(&r.UndoExpiresAt), Time(&r.UpdatedAt),
	}
}

// EventOf are the values of Event.
func EventOf(e *ledger.Event) []any {
	return []any{&e.Seq, Time(&e.At), &e.Actor, &e.From, &e.To, &e.Code, &e.Reason}
}

// Count is how many columns a list of them names.
func Count(list string) int { return strings.Count(list, ",") + 1 }
