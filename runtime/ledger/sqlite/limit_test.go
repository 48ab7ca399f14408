package sqlite_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// waitingUpTo is a cap of the changes that wait.
func waitingUpTo(limit int) ledger.Cap {
	return ledger.Cap{Of: ledger.Query{Statuses: []ledger.Status{ledger.Pending}}, Max: limit}
}

// insertWithin inserts a record that waits, unless the cap has no room.
func insertWithin(t *testing.T, s *sqlite.Store, number int, c ledger.Cap) error {
	t.Helper()
	return s.Insert(t.Context(), record(number), ledger.Event{To: ledger.Pending}, c)
}

// TestACapCountsWhatOtherProcessesWrite has two stores fill a ledger in turn: what one has counted holds no longer when the
// other has written.
func TestACapCountsWhatOtherProcessesWrite(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	stores := []*sqlite.Store{open(t, path), open(t, path)}
	const limit = 7
	for n := range limit {
		must(t, insertWithin(t, stores[n%2], n, waitingUpTo(limit)))
	}
	for n, s := range stores {
		if err := insertWithin(t, s, limit+n, waitingUpTo(limit)); !errors.Is(err, ledger.ErrCap) {
			t.Errorf("store %d: %v, want %v", n, err, ledger.ErrCap)
		}
	}
	must(t, insertWithin(t, stores[0], limit, waitingUpTo(limit+1)))
}

// TestACapCountsAgainWhenTheClockGoesBack has changes be good again whose time was over when they were counted.
func TestACapCountsAgainWhenTheClockGoesBack(t *testing.T) {
	t.Parallel()
	begin := time.UnixMilli(1e12)
	now := begin
	s := open(t, newPath(t), sqlite.WithClock(func() time.Time { return now }))
	unexpired := waitingUpTo(3)
	unexpired.Of.Unexpired = true
	insert := func(number int, expires time.Time) error {
		r := record(number)
		r.ExpiresAt = expires
		return s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}, unexpired)
	}
	for n := range 3 {
		must(t, insert(n, begin.Add(time.Minute)))
	}
	now = begin.Add(time.Hour)
	must(t, insert(3, begin.Add(2*time.Hour)))
	now = begin
	if err := insert(4, begin.Add(time.Minute)); !errors.Is(err, ledger.ErrCap) {
		t.Errorf("with four that are good: %v, want %v", err, ledger.ErrCap)
	}
}

// TestACapCountsWhatWasTakenBack has a retry be counted for while the record that it takes the place of waits no more, and
// then be refused in a transaction that is committed for another write, or not be committed.
func TestACapCountsWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		caps []ledger.Cap
		disk func(*faultdisk.Disk)
		kept int // other records that are written
	}{
		"it is refused":       {[]ledger.Cap{waitingUpTo(10), {Max: 0}}, func(*faultdisk.Disk) {}, 1},
		"it is not committed": {[]ledger.Cap{waitingUpTo(10)}, func(d *faultdisk.Disk) { d.FailFrom(1, faultdisk.Broken) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			disk := faultdisk.In(filepath.Dir(path))
			s := open(t, path)
			must(t, s.Insert(t.Context(), record(0), ledger.Event{To: ledger.Pending}))
			old, fresh, other := record(0), record(3), record(1)
			old.Revision, old.Status, fresh.Status, other.Status = 1, ledger.ApplyFailed, ledger.Applying, ledger.Applying
			c.disk(disk)
			verdicts := together(t, path, []func(context.Context) error{
				func(ctx context.Context) error {
					return s.SwapInsert(ctx, old, ledger.Event{To: old.Status}, fresh, ledger.Event{To: fresh.Status}, c.caps...)
				},
				func(ctx context.Context) error { return s.Insert(ctx, other, ledger.Event{To: other.Status}) },
			})
			disk.Repair()
			if kept := verdicts[1] == nil; verdicts[0] == nil || kept != (c.kept == 1) {
				t.Fatalf("the retry: %v, the other write: %v", verdicts[0], verdicts[1])
			}
			if err := insertWithin(t, s, 2, waitingUpTo(1)); !errors.Is(err, ledger.ErrCap) {
				t.Errorf("with one that waits: %v, want %v", err, ledger.ErrCap)
			}
			if all, err := s.List(t.Context(), ledger.Query{}); len(all) != 1+c.kept || err != nil {
				t.Errorf("%d records, %v, want %d", len(all), err, 1+c.kept)
			}
		})
	}
}
