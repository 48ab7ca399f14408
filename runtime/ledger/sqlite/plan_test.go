package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
)

// TestQueriesStayFastInALargeLedger makes sure that nothing a running server asks reads the whole table.
func TestQueriesStayFastInALargeLedger(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	by := &ledger.Party{Scope: "s", Caller: "c"}
	waiting := []ledger.Status{ledger.Pending}
	list := func(q ledger.Query) planned {
		return plannedAs(dialect.Of(q, selection.At(time.Now())).Page(recordColumns, q))
	}
	count := func(q ledger.Query) planned {
		return plannedAs(dialect.Of(q, selection.At(time.Now())).Select("count(*)"))
	}
	room := func(q ledger.Query) planned {
		l, err := newLimit(ledger.Cap{Of: q, Max: 1})
		if err != nil {
			t.Fatal(err)
		}
		var args []any
		for _, arg := range l.args {
			args = append(args, arg.Value)
		}
		return plannedAs(l.query, args)
	}
	prune := func(q ledger.Query) planned {
		return plannedAs(dialect.ToPrune(q, selection.At(time.Now())).Oldest(recordColumns, q.After, 1))
	}
	for _, c := range []struct {
		planned
		index string
	}{
		{list(ledger.Query{Statuses: []ledger.Status{ledger.Undoing, ledger.Applying}, Server: "s"}), "changes_open"},
		{list(ledger.Query{Statuses: []ledger.Status{ledger.Applying}}), "changes_open"},
		{list(ledger.Query{Statuses: []ledger.Status{ledger.Undoing, ledger.Applying}, Server: "s", Joined: true}), "changes_open"},
		{list(ledger.Query{Statuses: waiting, After: "chg_1"}), "changes_pending"},
		{list(ledger.Query{Statuses: waiting, After: "chg_1", Newest: true}), "changes_pending"},
		{list(ledger.Query{After: "chg_1"}), "changes_id"},
		{list(ledger.Query{After: "chg_1", Newest: true}), "changes_id"},
		{list(ledger.Query{UndoRequested: true, Server: "s"}), "changes_undo_requests"},
		{list(ledger.Query{Statuses: []ledger.Status{ledger.Applied}, UndoRequested: true, Server: "s"}), "changes_undo_requests"},
		{list(ledger.Query{Statuses: []ledger.Status{ledger.Rejected}}), "changes_id"},
		{prune(ledger.Query{Statuses: []ledger.Status{ledger.Rejected}, UpdatedBefore: time.Now()}), "changes_id (id>?)"},
		{prune(ledger.Query{}), "changes_id (id>?)"},
		{list(ledger.Query{RequestID: "r", Server: "s", Operations: []string{"o"}, By: by}), "changes_requests"},
		{list(ledger.Query{RetryOf: "chg_1"}), "changes_retries"},
		{count(ledger.Query{Statuses: []ledger.Status{ledger.Rejected}, PayloadHash: "p", Server: "s", Operations: []string{"o"}, By: by, UpdatedWithin: time.Hour}), "changes_rejected"},
		{room(ledger.Query{Statuses: waiting, Server: "s", By: by, Unexpired: true}), "COVERING INDEX changes_waiting (server=? AND scope=? AND caller=? AND expires_at>?)"},
		{room(ledger.Query{Statuses: waiting, Unexpired: true}), "COVERING INDEX changes_expiring (expires_at>?)"},
		{room(ledger.Query{Server: "s", Operations: []string{"o"}, ClaimedWithin: time.Hour}), "COVERING INDEX changes_claimed (server=? AND operation=? AND claimed_at>?)"},
		{room(ledger.Query{Server: "s", Operations: []string{"o", "p"}, ClaimedWithin: time.Hour}), "COVERING INDEX changes_claimed (server=? AND operation=? AND claimed_at>?)"},
		{count(ledger.Query{Statuses: []ledger.Status{ledger.Rejected}, PayloadHash: "h", Server: "s", Operations: []string{"o", "p"}, UpdatedWithin: time.Hour}), "changes_rejected"},
		{room(ledger.Query{Server: "s", Operations: []string{"o"}, By: by, ClaimedWithin: time.Hour}), "COVERING INDEX changes_claimed (server=? AND operation=? AND claimed_at>?)"},
		{planned{openClaimsSQL, []any{"h"}}, "changes_open"},
		{planned{getSQL, []any{"chg_1"}}, "changes_id"},
		{planned{eventsSQL, []any{"chg_1"}}, "changes_id"},
		{planned{takenSQL, []any{"chg_1", "chg_1", "r", "s", "o", "t", "a"}}, "changes_retries"},
	} {
		plan := strings.ReplaceAll(planOf(t, s, c.planned), "sqlite_autoindex_changes_1", "changes_id")
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN events") || strings.Contains(plan, "SCAN changes\n") {
			t.Errorf("%s\nis not answered from %s alone:\n%s", c.query, c.index, plan)
		}
	}
}

// planned is a query with its arguments.
type planned struct {
	query string
	args  []any
}

func plannedAs(query string, args []any) planned { return planned{query, args} }

func planOf(t *testing.T, s *Store, c planned) string {
	t.Helper()
	rows, err := s.readers.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+c.query, c.args...)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var step string
		if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(step + "\n")
	}
	return plan.String()
}
