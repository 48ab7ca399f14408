package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestAKillAtAnyPointOfABatch has many callers write at once and kills their process before one call of the disk: further on
// each time, until the process gets to its end. What was acknowledged is there, and what was not is there as a whole or not
// at all.
func TestAKillAtAnyPointOfABatch(t *testing.T) {
	t.Parallel()
	kills := 0
	for point, step := 1, 1; ; point, step = point+step, step+1 { // ever farther apart
		path := newPath(t)
		c := spawn(t, "crowd", path, strconv.Itoa(point))
		told := map[string]int64{}
		ended := false
		for c.lines.Scan() {
			var id string
			var revision int64
			if _, err := fmt.Sscan(c.lines.Text(), &id, &revision); err != nil {
				ended = c.lines.Text() == "done"
				break
			}
			told[id] = revision
		}
		_ = c.cmd.Wait()
		if ended {
			break
		}
		kills++
		expectTold(t, open(t, path), point, told)
	}
	if kills == 0 {
		t.Error("the process was never killed")
	}
}

// expectTold compares a ledger with what was acknowledged of it.
func expectTold(t *testing.T, s *sqlite.Store, point int, told map[string]int64) {
	t.Helper()
	all, err := s.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatalf("killed at %d: %v", point, err)
	}
	for _, r := range all {
		events, err := s.Events(t.Context(), r.ID)
		claimed := r.Revision == 2 && r.Status == ledger.Applying && r.ClaimID == r.ID
		whole := r.Revision == 1 && r.Status == ledger.Pending && r.ClaimID == "" || claimed
		if err != nil || !whole || int64(len(events)) != r.Revision || r.Revision < told[r.ID] {
			t.Errorf("killed at %d: %s is %s at revision %d with %d events, %v; acknowledged was %d",
				point, r.ID, r.Status, r.Revision, len(events), err, told[r.ID])
		}
		delete(told, r.ID)
	}
	for id, revision := range told {
		t.Errorf("killed at %d: %s was acknowledged at revision %d and is not there", point, id, revision)
	}
	if faults, err := s.Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("killed at %d: %v, %v", point, faults, err)
	}
}

// writeTogether has many callers insert and claim a record each, and prints each write that is acknowledged. It kills
// itself before the call of the disk whose number is its argument.
func writeTogether(ctx context.Context, path string) error {
	point, err := strconv.Atoi(os.Args[1])
	if err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	disk := faultdisk.In(filepath.Dir(path))
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	disk.Before(point, func() {
		_ = self.Kill()
		select {} // until it is dead
	})
	failures := make([]error, crowd)
	var group sync.WaitGroup
	for n := range crowd {
		group.Go(func() { failures[n] = insertAndClaim(ctx, s, record(n)) })
	}
	group.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func insertAndClaim(ctx context.Context, s *sqlite.Store, r ledger.Record) error {
	if err := s.Insert(ctx, r, ledger.Event{To: ledger.Pending}); err != nil {
		return err
	}
	fmt.Println(r.ID, 1)
	r.Revision, r.Status, r.ClaimID = 1, ledger.Applying, r.ID
	if err := s.Swap(ctx, r, time.Time{}, ledger.Event{From: ledger.Pending, To: ledger.Applying}); err != nil {
		return err
	}
	fmt.Println(r.ID, 2)
	return nil
}
