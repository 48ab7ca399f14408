package postgres

import (
	"context"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// takenSQL tells whether there is a record of that id, one that tries the same change again, and one of the same request.
const takenSQL = "SELECT EXISTS (SELECT FROM changesetgen.changes WHERE id = $1), " +
	"EXISTS (SELECT FROM changesetgen.changes WHERE " + selection.IsRetry + " AND retry_of = $2), " +
	"EXISTS (SELECT FROM changesetgen.changes WHERE " + selection.IsRequested + " AND request_id = $3 " +
	"AND server = $4 AND operation = $5 AND scope = $6 AND caller = $7)"

// whyNotWritten looks for why an item was not written, where refusal does not know. Of a record that was not added it says which
// of its unique keys it shares with another, or which cap was full; nil if there is no such record any more.
func (s *Store) whyNotWritten(ctx context.Context, db querier, i *item) error {
	if i.verdict == outdated {
		return s.whyOutdated(ctx, db)
	}
	r := &i.record
	var exists, retried, requested bool
	err := db.QueryRow(ctx, s.in(takenSQL), stored(r.ID), stored(r.RetryOf), stored(r.RequestID),
		stored(r.Server), stored(r.Operation), stored(r.Scope), stored(r.Caller)).Scan(&exists, &retried, &requested)
	c, isFull := i.capOf(full)
	switch {
	case err != nil:
		return err
	case exists:
		return fmt.Errorf("%s: %s: %w", s, i.doing(), ledger.ErrExists)
	case retried:
		return fmt.Errorf("%s: %s: %w: another one tries %s again", s, i.doing(), ledger.ErrRequested, r.RetryOf)
	case requested:
		return fmt.Errorf("%s: %s: %w: another one has the request id %q", s, i.doing(), ledger.ErrRequested, r.RequestID)
	case isFull:
		return fmt.Errorf("%s: %s: %w", s, i.doing(), &ledger.CapError{Cap: c})
	}
	return nil
}

// gone says that an item was not written for a record that nobody finds.
func (s *Store) gone(i *item) error {
	return s.busy(i.doing(), "another record was in its way that is gone again", nil)
}
