package sqlite

import (
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// TestQueriesStayFastInALargeLedger makes sure that nothing a running server asks reads the whole table.
func TestQueriesStayFastInALargeLedger(t *testing.T) {
	t.Parallel()
	s := openForTest(t)
	open, openArgs := listSQL(ledger.Query{Statuses: []ledger.Status{ledger.Undoing, ledger.Applying}, Server: "s"}, time.Now())
	applying, applyingArgs := listSQL(ledger.Query{Statuses: []ledger.Status{ledger.Applying}}, time.Now())
	pending, pendingArgs := listSQL(ledger.Query{Statuses: []ledger.Status{ledger.Pending}, After: "chg_1"}, time.Now())
	page, pageArgs := listSQL(ledger.Query{After: "chg_1"}, time.Now())
	for _, c := range []struct {
		query string
		args  []any
		index string
	}{
		{open, openArgs, "changes_open"},
		{applying, applyingArgs, "changes_open"},
		{pending, pendingArgs, "changes_pending"},
		{page, pageArgs, "sqlite_autoindex_changes_1"},
		{openClaimsSQL, []any{"h"}, "changes_open"},
		{getSQL, []any{"chg_1"}, "sqlite_autoindex_changes_1"},
		{eventsSQL, []any{"chg_1"}, "sqlite_autoindex_changes_1"},
	} {
		plan := planOf(t, s, c.query, c.args)
		if !strings.Contains(plan, c.index) || strings.Contains(plan, "TEMP B-TREE") || strings.Contains(plan, "SCAN events") {
			t.Errorf("%s\nis not answered from %s alone:\n%s", c.query, c.index, plan)
		}
	}
}

func planOf(t *testing.T, s *Store, query string, args []any) string {
	t.Helper()
	rows, err := s.readers.db.QueryContext(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
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
