package sqlite_test

import (
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestTheTimeOfAClaimMayComeAndGo moves a change on with and without another time of its claim, which an index holds.
func TestTheTimeOfAClaimMayComeAndGo(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.March, 29, 12, 0, 0, 0, time.UTC)
	s := open(t, newQuickPath(t), sqlite.WithClock(func() time.Time { return now }))
	r := record(0)
	must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
	r.Status = ledger.Applying
	for n, claimed := range []time.Time{{}, now, now, now.Add(-2 * time.Hour), now.Add(-2 * time.Hour), now, {}, {}} {
		r.Revision, r.ClaimedAt = int64(n+1), claimed
		must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying}))
		got, _, err := s.Get(t.Context(), r.ID)
		if err != nil || !got.ClaimedAt.Equal(claimed) {
			t.Errorf("swap %d: claimed at %v, %v, want %v", n, got.ClaimedAt, err, claimed)
		}
		var lately int
		if claimed.Equal(now) {
			lately = 1
		}
		if found, err := s.Count(t.Context(), ledger.Query{ClaimedWithin: time.Hour}); err != nil || found != lately {
			t.Errorf("swap %d: %d were claimed lately, %v, want %d", n, found, err, lately)
		}
	}
	expectSound(t, s)
}
