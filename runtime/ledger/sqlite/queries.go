package sqlite

import (
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The columns of a change in the order of fixedFields and mutableFields, and those of an event in that of eventFields, and so on.
const (
	fixedColumns = "id, server, operation, scope, caller, digest, undo_digest, payload_hash, " +
		"payload, state, shown, shown_digest, created_at, request_id, request_hash, retry_of, rejected, " +
		"approval, undo_approval, ttl, undo_ttl, items, sensitive, fixed_sum"
	mutableColumns = "status, updated_at, expires_at, apply_token, undo_token, decision, undo_decision, undo_request, " +
		"claim_id, holder, claimed_at, doubt_at, doubt_reason, code, message, error, outcome, retry_id, " +
		"state_before, state_after, result, result_flaw, sensitive_now, applied_at, undo_expires_at, mutable_sum"
	recordColumns = fixedColumns + ", revision, " + mutableColumns
	eventColumns  = "change, seq, at, actor, from_status, to_status, code, reason, sum"
	clockColumns  = "newest, writes, sum"
)

// The conditions of the partial indexes, as the schema spells them: SQLite uses such an index only for a query that
// says the same.
const (
	isOpen    = "status IN ('applying', 'undoing')"
	isPending = "status = 'pending'"
	// isUndoRequested is a condition of its own only on applied changes.
	isUndoRequested = "status = 'applied' AND undo_request IS NOT NULL"
)

const (
	beginSQL    = "BEGIN IMMEDIATE"
	commitSQL   = "COMMIT"
	rollbackSQL = "ROLLBACK"

	clockSQL = "SELECT " + clockColumns + " FROM clock"

	// getSQL is one statement, so that the record and the clock are of one moment.
	getSQL = "SELECT " + clockColumns + ", " + recordColumns + " FROM clock, changes WHERE id = ?"

	eventsSQL = "SELECT " + eventColumns + " FROM events WHERE change = (SELECT n FROM changes WHERE id = ?) ORDER BY seq"

	openClaimsSQL = "SELECT count(*) FROM changes WHERE " + isOpen + " AND holder = ?"

	tablesSQL = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('changes', 'events', 'clock')"

	// The newest of everything; a limit that is negative is none.
	newestChangesSQL = "SELECT " + recordColumns + " FROM changes ORDER BY n DESC LIMIT ?"
	newestEventsSQL  = "SELECT " + eventColumns + " FROM events ORDER BY change DESC, seq DESC LIMIT ?"

	structureSQL = "PRAGMA integrity_check(1)"
	pagesSQL     = "SELECT data FROM sqlite_dbpage"

	// clockFitsSQL holds because every write adds one event and raises one revision by one.
	clockFitsSQL = "SELECT newest IS (SELECT max(at) FROM events) AND writes = (SELECT count(*) FROM events) " +
		"AND writes = (SELECT coalesce(sum(revision), 0) FROM changes) FROM clock"
)

var (
	// insertSQL returns no row when there is a record of that id.
	insertSQL = "INSERT INTO changes (" + recordColumns + ") VALUES (" + placeholders(recordColumns) + ") " +
		"ON CONFLICT (id) DO NOTHING RETURNING n"
	// swapSQL returns no row when the revision has moved.
	swapSQL = "UPDATE changes SET revision = revision + 1, (" + mutableColumns + ") = (" + placeholders(mutableColumns) + ") " +
		"WHERE id = ? AND revision = ? RETURNING n"
	eventSQL = "INSERT INTO events (" + eventColumns + ") VALUES (" + placeholders(eventColumns) + ")"

	firstClockSQL = "INSERT INTO clock (one, " + clockColumns + ") VALUES (1, " + placeholders(clockColumns) + ")"
	setClockSQL   = "UPDATE clock SET (" + clockColumns + ") = (" + placeholders(clockColumns) + ")"
)

func placeholders(columns string) string {
	return "?" + strings.Repeat(", ?", strings.Count(columns, ","))
}

// listSQL is the query for q with its arguments, by the clock at now.
func listSQL(q ledger.Query, now time.Time) (string, []any) {
	conditions, args := matching(q, now)
	order := "id"
	switch {
	case q.Newest && q.After != "":
		order, conditions, args = "id DESC", append(conditions, "id < ?"), append(args, q.After)
	case q.Newest:
		order = "id DESC"
	case q.After != "":
		conditions, args = append(conditions, "id > ?"), append(args, q.After)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	return "SELECT " + recordColumns + " FROM changes" + where(conditions) + " ORDER BY " + order + " LIMIT ?",
		append(args, limit)
}

// countSQL is how many records match q.
func countSQL(q ledger.Query, now time.Time) (string, []any) {
	conditions, args := matching(q, now)
	return "SELECT count(*) FROM changes" + where(conditions), args
}

func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return " WHERE " + strings.Join(conditions, " AND ")
}

// matching is what q asks of a row.
func matching(q ledger.Query, now time.Time) (conditions []string, args []any) {
	add := func(condition string, values ...any) {
		conditions, args = append(conditions, condition), append(args, values...)
	}
	for _, c := range []struct{ column, value string }{
		{"server", q.Server}, {"operation", q.Operation}, {"payload_hash", q.PayloadHash},
	} {
		if c.value != "" {
			add(c.column+" = ?", c.value)
		}
	}
	if q.RequestID != "" {
		add("request_id <> '' AND request_id = ?", q.RequestID)
	}
	if q.RetryOf != "" {
		add("retry_of <> '' AND retry_of = ?", q.RetryOf)
	}
	if q.By != nil {
		add("scope = ? AND caller = ?", q.By.Scope, q.By.Caller)
	}
	if len(q.Statuses) > 0 {
		conditions = append(conditions, statusConditions(q.Statuses)...)
		for _, s := range q.Statuses {
			args = append(args, s)
		}
	}
	if !q.UpdatedBefore.IsZero() {
		add("updated_at < ?", q.UpdatedBefore.UnixMilli())
	}
	if q.UpdatedWithin > 0 {
		add("updated_at > ?", now.Add(-q.UpdatedWithin).UnixMilli())
	}
	if q.ClaimedWithin > 0 {
		add("claimed_at > ?", now.Add(-q.ClaimedWithin).UnixMilli())
	}
	if q.Unexpired {
		add("expires_at > ?", now.UnixMilli())
	}
	if q.UndoOver {
		add("(undo_token IS NULL OR undo_expires_at <= ?)", now.UnixMilli())
	}
	if q.UndoRequested {
		add(isUndoRequested)
	}
	return conditions, args
}

// defaultLimit is how many records List returns at most when the query does not say.
const defaultLimit = 1000

// statusConditions selects the statuses, with the condition of a partial index beside where it holds.
func statusConditions(statuses []ledger.Status) []string {
	conditions := []string{"status IN (?" + strings.Repeat(", ?", len(statuses)-1) + ")"}
	others := func(index ...ledger.Status) bool {
		return slices.ContainsFunc(statuses, func(s ledger.Status) bool { return !slices.Contains(index, s) })
	}
	switch {
	case !others(ledger.Applying, ledger.Undoing):
		conditions = append(conditions, isOpen)
	case !others(ledger.Pending):
		conditions = append(conditions, isPending)
	}
	return conditions
}
