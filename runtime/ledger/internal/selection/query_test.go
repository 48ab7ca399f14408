package selection_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/selection"
	"github.com/google/go-cmp/cmp"
)

// TestASelectionBindsWhatItAsksInOrder asks the same of databases that are given lists and the time in different ways.
func TestASelectionBindsWhatItAsksInOrder(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(100_000)
	q := ledger.Query{
		Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}, Server: "settings", UpdatedWithin: time.Minute, Unexpired: true,
		IDs: []string{"chg_1", "chg_2"}, After: "chg_0", Limit: 7,
	}
	array := selection.Dialect{Table: "changes", AnyOf: "= ANY (?)", Values: func(values []string) any { return values }}
	query, args := array.Of(q, selection.Expression("present()")).Page("id", q)
	if want := "SELECT id FROM changes WHERE server = $1 AND status IN ('applying', 'undoing') AND status IN ($2, $3) " +
		"AND updated_at > present() - $4 AND expires_at > present() AND id = ANY ($5) AND id > $6 ORDER BY id LIMIT $7"; selection.Numbered(query) != want {
		t.Errorf("the query is\n%s, want\n%s", selection.Numbered(query), want)
	}
	if diff := cmp.Diff([]any{"settings", "applying", "undoing", int64(60_000), q.IDs, "chg_0", 7}, args); diff != "" {
		t.Errorf("its arguments (-want +got):\n%s", diff)
	}
	joined := selection.Dialect{Table: "changes", AnyOf: "IN (values(?))", Values: func(values []string) any { return len(values) }}
	query, args = joined.Of(q, selection.At(now)).Select("count(*)")
	if want := "SELECT count(*) FROM changes WHERE server = ? AND status IN ('applying', 'undoing') AND status IN (?, ?) " +
		"AND updated_at > ? AND expires_at > ? AND id IN (values(?))"; query != want {
		t.Errorf("the query is\n%s, want\n%s", query, want)
	}
	if diff := cmp.Diff([]any{"settings", "applying", "undoing", int64(40_000), int64(100_000), 2}, args); diff != "" {
		t.Errorf("its arguments (-want +got):\n%s", diff)
	}
}
