package sqlite_test

import (
	"errors"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// TestARowThatAnotherProcessGaveToAnotherChangeIsNotWritten has a store know the row of a change that is pruned, and whose row
// another change of the same revision has then.
func TestARowThatAnotherProcessGaveToAnotherChangeIsNotWritten(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, other := open(t, path), open(t, path)
	gone := record(0)
	gone.Status = ledger.ApplyFailed
	must(t, s.Insert(t.Context(), gone, ledger.Event{To: gone.Status}))
	if n, err := other.Prune(t.Context(), ledger.Query{}, 1); n != 1 || err != nil {
		t.Fatalf("pruned %d, %v", n, err)
	}
	must(t, other.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	gone.Revision, gone.Status = 1, ledger.Undone
	if err := s.Swap(t.Context(), gone, time.Time{}, ledger.Event{To: gone.Status}); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("a change that is gone: %v, want %v", err, ledger.ErrConflict)
	}
	expectWhole(t, s, 1, 1)
}

// TestAClaimThatAnotherProcessMadeIsKept has a store know of a change when it was not claimed.
func TestAClaimThatAnotherProcessMadeIsKept(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s, other := open(t, path), open(t, path)
	r := record(0)
	must(t, s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}))
	for revision, c := range []struct {
		by      ledger.Store
		status  ledger.Status
		claimed time.Time
	}{
		{other, ledger.Applying, time.UnixMilli(1e12)},
		{s, ledger.Pending, time.Time{}},
		{other, ledger.Applying, time.UnixMilli(2e12)},
		{s, ledger.Applied, time.UnixMilli(2e12)},
		{s, ledger.Undoing, time.UnixMilli(3e12)},
		{other, ledger.Undone, time.UnixMilli(3e12)},
	} {
		r.Revision, r.Status, r.ClaimedAt = int64(revision+1), c.status, c.claimed
		must(t, c.by.Swap(t.Context(), r, time.Time{}, ledger.Event{To: c.status}))
		got, _, err := other.Get(t.Context(), r.ID)
		if err != nil || got.Status != c.status || !got.ClaimedAt.Equal(c.claimed) {
			t.Errorf("it is %s since %v (%v), want %s since %v", got.Status, got.ClaimedAt, err, c.status, c.claimed)
		}
		n, err := s.Count(t.Context(), ledger.Query{Server: r.Server, Operations: []string{r.Operation}, ClaimedWithin: time.Duration(1<<63 - 1)})
		if want := map[bool]int{false: 1}[c.claimed.IsZero()]; err != nil || n != want {
			t.Errorf("%s: %d are claimed, %v, want %d", c.status, n, err, want)
		}
	}
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("check: %v, %v", faults, err)
	}
}

// TestARecordWhoseEventCannotBeAddedLeavesNothing has an event lie where that of the next record belongs, which only damage
// does: the record must not be taken for one that is there.
func TestARecordWhoseEventCannotBeAddedLeavesNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	execute("INSERT INTO events VALUES (1, 1, 0, '', '', '', '', '', x'')")(t, path)
	for n, err := range together(t, path, inserts(s, 0, crowd)) {
		if err == nil || errors.Is(err, ledger.ErrExists) {
			t.Errorf("insert %d: %v", n, err)
		}
	}
	if all, err := s.List(t.Context(), ledger.Query{}); len(all) > 0 || err != nil {
		t.Errorf("%d records, %v", len(all), err)
	}
}
