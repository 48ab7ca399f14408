package sqlite

import (
	"slices"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The columns of a change in the order of fixedFields and mutableFields, and those of an event in that of eventFields, and so on.
const (
	fixedColumns = "id, server, operation, scope, caller, digest, undo_digest, payload_hash, " +
		"payload, state, shown, created_at, expires_at, fixed_sum"
	mutableColumns = "status, updated_at, apply_token, undo_token, claim_id, holder, doubt_at, doubt_reason, " +
		"code, message, error, outcome, state_before, state_after, result, result_flaw, applied_at, undo_expires_at, mutable_sum"
	recordColumns = fixedColumns + ", revision, " + mutableColumns
	eventColumns  = "change, seq, at, actor, from_status, to_status, code, reason, sum"
	clockColumns  = "newest, writes, sum"
)

// The conditions of the partial indexes, as the schema spells them: SQLite uses such an index only for a query that
// says the same.
const (
	isOpen    = "status IN ('applying', 'undoing')"
	isPending = "status = 'pending'"
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

// listSQL is the query for q with its arguments.
func listSQL(q ledger.Query) (string, []any) {
	conditions := []string{"id > ?"}
	args := []any{q.After}
	if q.Server != "" {
		conditions = append(conditions, "server = ?")
		args = append(args, q.Server)
	}
	if len(q.Statuses) > 0 {
		conditions = append(conditions, statusConditions(q.Statuses)...)
		for _, s := range q.Statuses {
			args = append(args, s)
		}
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	return "SELECT " + recordColumns + " FROM changes WHERE " + strings.Join(conditions, " AND ") + " ORDER BY id LIMIT ?",
		append(args, limit)
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
