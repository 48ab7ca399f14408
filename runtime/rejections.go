package runtime

import (
	"context"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// lookBack takes into a new record what happened before it, or refuses it for that.
func (g *Guard) lookBack(ctx context.Context, op *registered, r *ledger.Record) (*refusal, error) {
	rejected, err := g.rejectedLike(ctx, op, r)
	if err != nil {
		return nil, err
	}
	if rejected != nil {
		r.Rejected, r.Approval = rejected.ID, max(approvalNamed(r.Approval), ByOperator).String()
	}
	return g.room(ctx, op, r)
}

// rejectedLike is the latest change of the same payload, in the same scope, that a person said no to not long ago; nil
// if there is none. Who asked for that one does not matter, as the no was to the change; unless its payload is sensitive, of
// which others would learn by that whether they have guessed it.
func (g *Guard) rejectedLike(ctx context.Context, op *registered, r *ledger.Record) (*ledger.Record, error) {
	hashes, err := hashesOf(ctx, g.store, r, op.payload.IsSensitive())
	if err != nil {
		return nil, err
	}
	q := ledger.Query{Server: r.Server, Operations: op.names(), UpdatedWithin: g.opts.RejectionMemory}
	found, err := rejectedAs(ctx, g.store, q, hashes, func(other *ledger.Record) bool {
		return *partyOf(other) == *partyOf(r) || other.Scope == r.Scope && !hidesPayload(other) && !hidesPayload(r)
	})
	if err != nil {
		return nil, fmt.Errorf("look for a rejection: %w", err)
	}
	return found, nil
}

// rejectedAs is rejectedLike among what q selects, by these hashes of the payload. What was previewed first may have been
// rejected last. With an error it is that of those that can be read.
func rejectedAs(ctx context.Context, store ledger.Store, q ledger.Query, hashes []string, counts func(*ledger.Record) bool) (latest *ledger.Record, err error) {
	q.Statuses = []ledger.Status{ledger.Rejected}
	for _, q.PayloadHash = range hashes {
		for found, unread := range ledger.All(ctx, store, q) {
			switch {
			case unread != nil:
				err = unread
			case counts(&found) && (latest == nil || !found.UpdatedAt.Before(latest.UpdatedAt)):
				latest = &found
			}
		}
	}
	return latest, err
}

// rejection is what is told of an earlier no to the same change.
type rejection struct {
	id, reason string
	others     bool // it was a change of another caller
}

// rejectionOf is what the caller of r is told of an earlier no; nil for none. What another caller was told is theirs, and
// so is the id of their change.
func rejectionOf(r, earlier *ledger.Record) *rejection {
	switch {
	case earlier == nil:
		return nil
	case earlier.Scope != r.Scope, earlier.Caller != r.Caller:
		return &rejection{others: true}
	}
	return &rejection{id: earlier.ID, reason: earlier.Message}
}

// told says it in a sentence; "" for none.
func (r *rejection) told() string {
	switch {
	case r == nil:
		return ""
	case r.others:
		return rejectedOfOthers
	}
	return fmt.Sprintf(rejectedBefore, reasonTold(r.reason))
}

// rejectionTold is the no that raised the approval of a change; nil if none did.
func (g *Guard) rejectionTold(ctx context.Context, r *ledger.Record) *rejection {
	if r.Rejected == "" {
		return nil
	}
	earlier, _, err := g.read(ctx, r.Rejected)
	if err != nil {
		return &rejection{} // pruned, or not to be believed: that there was one is still true
	}
	return rejectionOf(r, &earlier)
}
