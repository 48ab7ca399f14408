package sqlite

import (
	"slices"
	"strings"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// defaultLimit is how many records List returns at most when the query does not say.
const defaultLimit = 1000

// isUndoOver tells of a change that nobody can undo with its token any more. Its argument is the clock.
const isUndoOver = "status NOT IN ('pending', 'applying', 'undoing') AND " +
	"(status <> 'applied' OR undo_token IS NULL OR undo_expires_at <= ?)"

// selection is what is asked of a change, in SQL.
type selection struct {
	conditions []string
	args       []any
}

// selectionOf is what q asks of a change, by the clock at now, without its order, After and Limit.
func selectionOf(q ledger.Query, now time.Time) selection {
	var s selection
	s.addValues(q)
	if len(q.Operations) > 0 {
		addAny(&s, "operation", q.Operations)
	}
	s.addStatuses(q)
	s.addTimes(q, now)
	if q.UndoRequested {
		s.add(isUndoRequested)
	}
	if q.IDs != nil {
		s.add("id IN "+listed, list(q.IDs))
	}
	return s
}

func (s *selection) add(condition string, args ...any) {
	s.conditions, s.args = append(s.conditions, condition), append(s.args, args...)
}

// addAny selects what has one of some values in a column.
func addAny[T ~string](s *selection, column string, values []T) {
	s.add(column + " IN (" + marks(len(values)) + ")")
	for _, value := range values {
		s.args = append(s.args, string(value))
	}
}

// addValues selects by what is the same in every record that q is about.
func (s *selection) addValues(q ledger.Query) {
	for _, c := range []struct{ condition, value string }{
		{"server = ?", q.Server},
		{"payload_hash = ?", q.PayloadHash},
		{isRequested + " AND request_id = ?", q.RequestID},
		{isRetry + " AND retry_of = ?", q.RetryOf},
	} {
		if c.value != "" {
			s.add(c.condition, c.value)
		}
	}
	if q.By != nil {
		s.add("scope = ? AND caller = ?", q.By.Scope, q.By.Caller)
	}
}

// addStatuses selects the statuses, with the condition of a partial index where that is the one to use: for rejected
// changes only if they are looked for by what that index holds.
func (s *selection) addStatuses(q ledger.Query) {
	only := func(index ...ledger.Status) bool {
		return !slices.ContainsFunc(q.Statuses, func(s ledger.Status) bool { return !slices.Contains(index, s) })
	}
	switch {
	case len(q.Statuses) == 0:
		return
	case only(ledger.Pending):
		s.add(isPending)
		return
	case only(ledger.Rejected) && q.PayloadHash != "":
		s.add(isRejected)
		return
	case only(ledger.Applying, ledger.Undoing):
		s.add(isOpen)
	}
	addAny(s, "status", q.Statuses)
}

// addTimes selects by what changes with time alone.
func (s *selection) addTimes(q ledger.Query, now time.Time) {
	if !q.UpdatedBefore.IsZero() {
		s.add("updated_at < ?", q.UpdatedBefore.UnixMilli())
	}
	if q.UpdatedWithin > 0 {
		s.add("updated_at > ?", now.Add(-q.UpdatedWithin).UnixMilli())
	}
	if q.ClaimedWithin > 0 {
		s.add("claimed_at > ?", now.Add(-q.ClaimedWithin).UnixMilli())
	}
	if q.Unexpired {
		s.add("expires_at > ?", now.UnixMilli())
	}
	if q.UndoOver {
		s.add(isUndoOver, now.UnixMilli())
	}
}

// from is the source of a query for what is selected.
func (s *selection) from() string {
	if len(s.conditions) == 0 {
		return " FROM changes"
	}
	return " FROM changes WHERE " + strings.Join(s.conditions, " AND ")
}

// listSQL is the query for q with its arguments, by the clock at now.
func listSQL(q ledger.Query, now time.Time) (string, []any) {
	order, next := "id", "id > ?"
	if q.Newest {
		order, next = "id DESC", "id < ?"
	}
	s := selectionOf(q, now)
	if q.After != "" {
		s.add(next, q.After)
	}
	limit := q.Limit
	if limit <= 0 {
		limit = defaultLimit
	}
	return "SELECT " + recordColumns + s.from() + " ORDER BY " + order + " LIMIT ?", append(s.args, limit)
}

// countSQL is how many records match q.
func countSQL(q ledger.Query, now time.Time) (string, []any) {
	s := selectionOf(q, now)
	return "SELECT count(*)" + s.from(), s.args
}

// roomSQL tells whether fewer than the cap's records match it, besides the one in that row. It counts no further.
func roomSQL(c ledger.Cap, row int64, now time.Time) (string, []any) {
	s := selectionOf(c.Of, now)
	s.add("n <> ?", row) // every index knows it
	return "SELECT count(*) < ? FROM (SELECT 1" + s.from() + " LIMIT ?)", slices.Concat([]any{c.Max}, s.args, []any{max(c.Max, 0)})
}

func placeholders(columns string) string { return marks(strings.Count(columns, ",") + 1) }

// marks stand for n arguments.
func marks(n int) string { return "?" + strings.Repeat(", ?", n-1) }
