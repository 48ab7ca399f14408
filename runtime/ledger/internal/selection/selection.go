// Package selection says in SQL which changes a ledger.Query selects. Arguments are marked by ? in every text; what takes
// them numbered is given to Numbered when it is whole.
package selection

import (
	"fmt"
	"slices"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The conditions of the partial indexes, as the schemas spell them: a database uses such an index only for a query that
// says the same.
const (
	IsOpen     = "status IN ('applying', 'undoing')"
	IsPending  = "status = 'pending'"
	IsRejected = "status = 'rejected'"
	// IsUndoRequested is a condition of its own only on applied changes.
	IsUndoRequested = "status = 'applied' AND undo_request IS NOT NULL"
	IsRequested     = "request_id <> ''"
	IsRetry         = "retry_of <> ''"
)

// isUndoOver tells of a change that nobody can undo with its token any more, at a time.
const isUndoOver = "status NOT IN ('pending', 'applying', 'undoing') AND " +
	"(status <> 'applied' OR undo_token IS NULL OR undo_expires_at <= %s)"

// Dialect is what differs from database to database.
type Dialect struct {
	Table  string                    // of the changes, as a query names it
	AnyOf  string                    // the condition that follows a column, with a ? for any number of values as one argument
	Values func(values []string) any // that argument
}

// Selection is what is asked of a change. It is changed by what is added to it, and must not be used by several at once.
type Selection struct {
	dialect    Dialect
	conditions []string
	args       []any
}

// Of is what q asks of a change, by a clock, without its order, After and Limit.
func (d Dialect) Of(q ledger.Query, now Clock) *Selection {
	s := &Selection{dialect: d}
	s.addValues(q)
	if len(q.Operations) > 0 {
		addOne(s, "operation", q.Operations)
	}
	s.addStatuses(q)
	s.addTimes(q, now)
	if q.UndoRequested {
		s.Where(IsUndoRequested)
	}
	if q.Joined {
		s.Where("joined")
	}
	if q.IDs != nil {
		s.WhereID(q.IDs)
	}
	return s
}

// ToPrune is what q asks of a change that may be deleted, by a clock.
func (d Dialect) ToPrune(q ledger.Query, now Clock) *Selection {
	s := d.Of(q, now)
	s.whereTime(isUndoOver, now, 0)
	if !slices.Contains(q.Statuses, ledger.Applied) {
		s.Where("status <> 'applied'")
	}
	return s
}

// Where asks a condition more.
func (s *Selection) Where(condition string, args ...any) {
	s.conditions, s.args = append(s.conditions, condition), append(s.args, args...)
}

// WhereID asks that the change is one of any number.
func (s *Selection) WhereID(ids []string) {
	s.Where("id "+s.dialect.AnyOf, s.dialect.Values(ids))
}

// addOne asks for one of a few values in a column. Each is an argument of its own: an index then finds them in turn.
func addOne[T ~string](s *Selection, column string, values []T) {
	s.Where(column + " IN (" + Marks(len(values)) + ")")
	for _, value := range values {
		s.args = append(s.args, string(value))
	}
}

// addValues selects by what is the same in every record that q is about.
func (s *Selection) addValues(q ledger.Query) {
	for _, c := range []struct{ condition, value string }{
		{"server = ?", q.Server},
		{"payload_hash = ?", q.PayloadHash},
		{IsRequested + " AND request_id = ?", q.RequestID},
		{IsRetry + " AND retry_of = ?", q.RetryOf},
	} {
		if c.value != "" {
			s.Where(c.condition, c.value)
		}
	}
	if q.By != nil {
		s.Where("scope = ? AND caller = ?", q.By.Scope, q.By.Caller)
	}
}

// addStatuses selects the statuses, with the condition of a partial index where that is the one to use: for rejected
// changes only if they are looked for by what that index holds.
func (s *Selection) addStatuses(q ledger.Query) {
	only := func(index ...ledger.Status) bool {
		return !slices.ContainsFunc(q.Statuses, func(s ledger.Status) bool { return !slices.Contains(index, s) })
	}
	switch {
	case len(q.Statuses) == 0:
		return
	case only(ledger.Pending):
		s.Where(IsPending)
		return
	case only(ledger.Rejected) && q.PayloadHash != "":
		s.Where(IsRejected)
		return
	case only(ledger.Applying, ledger.Undoing):
		s.Where(IsOpen)
	}
	addOne(s, "status", q.Statuses)
}

// addTimes selects by what changes with time alone.
func (s *Selection) addTimes(q ledger.Query, now Clock) {
	if !q.UpdatedBefore.IsZero() {
		s.Where("updated_at < ?", q.UpdatedBefore.UnixMilli())
	}
	if q.UpdatedWithin > 0 {
		s.whereTime("updated_at > %s", now, q.UpdatedWithin)
	}
	if q.ClaimedWithin > 0 {
		s.whereTime("claimed_at > %s", now, q.ClaimedWithin)
	}
	if q.Unexpired {
		s.whereTime("expires_at > %s", now, 0)
	}
	if q.UndoOver {
		s.whereTime(isUndoOver, now, 0)
	}
}

// whereTime asks a condition about the time that was so long ago.
func (s *Selection) whereTime(condition string, now Clock, ago time.Duration) {
	moment, args := now.ago(ago)
	s.Where(fmt.Sprintf(condition, moment), args...)
}
