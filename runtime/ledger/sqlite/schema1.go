package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/columns"
)

// What a ledger of schema 1 holds. It had fewer columns, and check sums over these.
const (
	schema1Columns = "n, id, server, operation, scope, caller, digest, undo_digest, payload_hash, payload, state, shown, " +
		"created_at, expires_at, fixed_sum, revision, status, updated_at, apply_token, undo_token, claim_id, holder, doubt_at, doubt_reason, " +
		"code, message, error, outcome, state_before, state_after, result, result_flaw, applied_at, undo_expires_at, mutable_sum"
	schema1ChangesSQL = "SELECT " + schema1Columns + " FROM changes ORDER BY n"
	schema1ClockSQL   = "SELECT newest, writes, sum FROM clock"
	schema1FitsSQL    = "SELECT newest IS (SELECT max(at) FROM events) AND writes = (SELECT count(*) FROM events) " +
		"AND writes = (SELECT coalesce(sum(revision), 0) FROM changes) FROM clock"
	// schema1SharedSQL names a table that is no part of it.
	schema1SharedSQL = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('changes', 'events', 'clock') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"
	// schema1ClaimedSQL is when a change was claimed, which its record did not say.
	schema1ClaimedSQL = "SELECT max(at) FROM events WHERE change = ? AND to_status = 'applying'"

	// schema1UndoTTL is how long an undo token was good for where nothing else was set, outside of the ledger.
	schema1UndoTTL = 24 * time.Hour
)

// changeRow is a change with its row.
type changeRow struct {
	ledger.Record
	row int64
}

// schema1Fields are the values of schema1Columns, to be scanned.
func schema1Fields(c *changeRow) []any {
	r := &c.Record
	fixed := summed(
		&r.ID, &r.Server, &r.Operation, &r.Scope, &r.Caller, &r.Digest, &r.UndoDigest, &r.PayloadHash,
		columns.Bytes(&r.Payload), columns.Bytes(&r.State), columns.Bytes(&r.Shown), columns.Time(&r.CreatedAt), columns.Time(&r.ExpiresAt),
	)
	mutable := summed(
		&r.ID, &r.Revision,
		&r.Status, columns.Time(&r.UpdatedAt), columns.Bytes(&r.ApplyToken), columns.Bytes(&r.UndoToken), &r.ClaimID, &r.Holder,
		columns.Time(&r.DoubtAt), &r.DoubtReason, &r.Code, &r.Message, &r.Error, &r.Outcome,
		columns.Bytes(&r.Before), columns.Bytes(&r.After), columns.Bytes(&r.Result), &r.ResultFlaw, columns.Time(&r.AppliedAt), columns.Time(&r.UndoExpiresAt),
	)[2:]
	return append(append(append([]any{&c.row}, fixed...), &r.Revision), mutable...)
}

// schema1Account is what a ledger of schema 1 has taken.
func schema1Account(ctx context.Context, db querier) (a account, err error) {
	err = db.QueryRowContext(ctx, schema1ClockSQL).Scan(summed(columns.Time(&a.newest), &a.writes)...)
	return a, err
}

// completed is the change with what schema 1 did not say of it. Its approval is by token, as it was for all.
func (c changeRow) completed(ctx context.Context, db querier) (changeRow, error) {
	c.Items = 1
	switch {
	case c.UndoToken == nil:
		c.UndoTTL = schema1UndoTTL
	case c.UndoExpiresAt.IsZero():
		c.UndoTTL = -1
	default:
		c.UndoTTL = c.UndoExpiresAt.Sub(c.AppliedAt)
	}
	err := db.QueryRowContext(ctx, schema1ClaimedSQL, c.row).Scan(columns.Time(&c.ClaimedAt))
	return c, err
}

// checkUnshared1 refuses a ledger of schema 1 that others have tables in: what is migrated is the ledger alone.
func checkUnshared1(ctx context.Context, db querier, path string) error {
	var name string
	switch err := db.QueryRowContext(ctx, schema1SharedSQL).Scan(&name); {
	case errors.Is(err, sql.ErrNoRows):
		return nil
	case err != nil:
		return explainRows(ctx, path, "read its schema", err)
	}
	return unsupported(path, "its table %s is no part of a ledger of schema 1, and would be lost; move it to a file of its own", name)
}

// checkSchema1 makes sure that a ledger of schema 1 is as it was written, and as far as its mark says.
func checkSchema1(ctx context.Context, db querier, path string, known mark) error {
	if err := checkPages(ctx, db, path); err != nil {
		return err
	}
	var fits bool
	a, err := schema1Account(ctx, db)
	if err == nil {
		err = db.QueryRowContext(ctx, schema1FitsSQL).Scan(&fits)
	}
	switch {
	case err != nil:
		return explainRows(ctx, path, "read its clock", err)
	case !fits:
		return corrupt(path, "its clock does not fit its changes and events, some of which may be missing; %s", restoreAdvice)
	case a.writes < known.writes:
		return missing(path, a.writes, known.writes)
	}
	if err := checkRows(ctx, db, schema1ChangesSQL, schema1Fields, func(c *changeRow) string { return "change " + c.ID }); err != nil {
		return explainRows(ctx, path, "read its changes", err)
	}
	if err := checkRows(ctx, db, everyEventSQL, eventFields, eventName); err != nil {
		return explainRows(ctx, path, "read its events", err)
	}
	return nil
}
