package sqlite_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// stretched is a ledger with changes of which every fifth was rejected, and all others are pending or over. It is read in
// stretches of three rows.
func stretched(t *testing.T, changes int) (s *sqlite.Store, path string) {
	t.Helper()
	path = newQuickPath(t)
	s, err := sqlite.Open(t.Context(), path, patient, sqlite.WithStretch(3))
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	for n := range changes {
		r := record(n)
		r.CreatedAt, r.ExpiresAt = time.UnixMilli(int64(n)).UTC(), time.UnixMilli(1)
		if n%5 == 0 {
			r.Status = ledger.Rejected
		}
		must(t, s.Insert(t.Context(), r, ledger.Event{}))
	}
	return s, path
}

func TestStatsAddUpWhatIsReadInStretches(t *testing.T) {
	t.Parallel()
	s, _ := stretched(t, 20)
	got, err := s.Stats(t.Context())
	must(t, err)
	at := func(n int64) time.Time { return time.UnixMilli(n).UTC() }
	want := []ledger.Group{
		{Status: ledger.Expired, Changes: 16, Oldest: at(1), Newest: at(19)},
		{Status: ledger.Rejected, Changes: 4, Oldest: at(0), Newest: at(15)},
	}
	if diff := cmp.Diff(want, got.Groups); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestPruneGoesOnWhereAStretchHasNothing prunes what is further apart than a stretch is long.
func TestPruneGoesOnWhereAStretchHasNothing(t *testing.T) {
	t.Parallel()
	s, _ := stretched(t, 20)
	if n, err := s.Prune(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Rejected}}, 3); n != 3 || err != nil {
		t.Errorf("%d were pruned, %v", n, err)
	}
	left, err := s.List(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Rejected}})
	if must(t, err); len(left) != 1 || left[0].ID != record(15).ID {
		t.Errorf("%d rejected changes are left", len(left))
	}
	if n, err := s.Prune(t.Context(), ledger.Query{}, 100); n != 1 || err != nil {
		t.Errorf("%d more were pruned, %v", n, err)
	}
	expectSound(t, s)
}

// TestCheckFindsWhatIsWrongInEachStretch damages rows that are far apart, by their numbers too.
func TestCheckFindsWhatIsWrongInEachStretch(t *testing.T) {
	t.Parallel()
	s, path := stretched(t, 20)
	execute("UPDATE changes SET payload = x'00' WHERE n IN (2, 19); UPDATE events SET actor = 'root' WHERE change IN (1, 12);"+
		"DELETE FROM events WHERE change IN (5, 17); INSERT INTO events SELECT 9223372036854775807, seq, at, actor, from_status, to_status, code, reason, sum "+
		"FROM events WHERE change = 3")(t, path)
	faults, err := s.Check(t.Context())
	must(t, err)
	for _, want := range []string{
		"change chg_00000000000000000001 in row 2: ", "change chg_00000000000000000012 in row 19: ",
		"event 1 of the change in row 1: ", "event 1 of the change in row 12: ", "event 1 of the change in row 9223372036854775807: ",
		"change chg_00000000000000000004: it is at revision 1 and has 0 events", "change chg_00000000000000000010: it is at revision 1 and has 0 events",
		"events: 1 are of a change that is not there (row 9223372036854775807)",
	} {
		if !slices.ContainsFunc(faults, func(fault string) bool { return len(fault) >= len(want) && fault[:len(want)] == want }) {
			t.Errorf("not told is %q, but %s", want, fmt.Sprintf("%q", faults))
		}
	}
}
