package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

const (
	hammers        = 8   // goroutines of a child
	hammeredClaims = 150 // records that the children fight for
)

// TestTwoProcessesClaimEachRecordOnce has two processes with many goroutines claim the same records at once.
func TestTwoProcessesClaimEachRecordOnce(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	for n := range hammeredClaims {
		if err := s.Insert(t.Context(), record(n), ledger.Event{To: ledger.Pending}); err != nil {
			t.Fatal(err)
		}
	}
	children := []*child{spawn(t, "claimer", path), spawn(t, "claimer", path)}
	wins := map[string]string{}
	for _, c := range children {
		for line := c.line(t); line != "done"; line = c.line(t) {
			id, claim, _ := strings.Cut(line, " ")
			if other, twice := wins[id]; twice {
				t.Errorf("%s was claimed by %s and by %s", id, other, claim)
			}
			wins[id] = claim
		}
	}
	if len(wins) != hammeredClaims {
		t.Errorf("%d of %d records were claimed", len(wins), hammeredClaims)
	}
	for id, claim := range wins {
		r, _, err := s.Get(t.Context(), id)
		if err != nil || r.ClaimID != claim || r.Revision != 2 {
			t.Errorf("%s: claim %q at revision %d (%v), want %q at 2", id, r.ClaimID, r.Revision, err, claim)
		}
	}
}

// claimEverything claims every pending record that it can and prints those it won.
func claimEverything(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	failures := make([]error, hammers)
	for i := range hammers {
		group.Go(func() { failures[i] = claimAll(ctx, s, fmt.Sprintf("%d.%d", os.Getpid(), i)) })
	}
	group.Wait()
	if err := errors.Join(append(failures, s.Close())...); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func claimAll(ctx context.Context, s *sqlite.Store, claim string) error {
	for n := range hammeredClaims {
		r, _, err := s.Get(ctx, record(n).ID)
		if err != nil {
			return err
		}
		if r.Status != ledger.Pending {
			continue
		}
		r.Status, r.ClaimID = ledger.Applying, claim
		switch err := s.Swap(ctx, r, time.Time{}, ledger.Event{From: ledger.Pending, To: ledger.Applying}); {
		case err == nil:
			fmt.Println(r.ID, claim)
		case !errors.Is(err, ledger.ErrConflict):
			return err
		}
	}
	return nil
}

// TestManyOpenOneNewLedger has processes and goroutines make the same ledger at once.
func TestManyOpenOneNewLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	children := []*child{spawn(t, "opener", path), spawn(t, "opener", path)}
	const openers = 4
	errs := make(chan error, openers)
	for n := range openers {
		go func() { errs <- openAndInsert(t.Context(), path, record(n)) }()
	}
	for range openers {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	for _, c := range children {
		c.line(t) // it is done
	}
	all, err := open(t, path).List(t.Context(), ledger.Query{})
	if want := openers + len(children); err != nil || len(all) != want {
		t.Errorf("%d records, %v, want %d", len(all), err, want)
	}
}

func openAndWrite(ctx context.Context, path string) error {
	r := record(0)
	r.ID += fmt.Sprint(os.Getpid())
	if err := openAndInsert(ctx, path, r); err != nil {
		return err
	}
	fmt.Println("done")
	return nil
}

func openAndInsert(ctx context.Context, path string, r ledger.Record) error {
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	return errors.Join(s.Insert(ctx, r, ledger.Event{}), s.Close())
}

func TestAWriterInAnotherProcessIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	c := spawn(t, "interrupted", path)
	c.line(t) // it is inside its transaction from here on

	s.SetBusyTimeout(time.Millisecond)
	expectError(t, "insert while another process writes", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrBusy)
	_, err := sqlite.Open(t.Context(), path, sqlite.WithBusyTimeout(time.Millisecond))
	expectError(t, "open while another process writes", err, ledger.ErrBusy)
	if _, err := s.Now(t.Context()); err != nil {
		t.Errorf("a read has to wait for the writer: %v", err)
	}

	s.SetBusyTimeout(time.Minute)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- s.Insert(ctx, record(3), ledger.Event{}) }()
	leave()
	expectError(t, "insert of a caller that left", <-left, context.Canceled)

	c.kill(t)
	if err := s.Insert(t.Context(), record(4), ledger.Event{}); err != nil {
		t.Errorf("insert after the kill: %v", err)
	}
	for n := 1; n <= 3; n++ {
		_, _, err := s.Get(t.Context(), record(n).ID)
		expectError(t, "get "+record(n).ID, err, ledger.ErrNotFound)
	}
}

// stopInsideATransaction waits to be killed with a transaction open: where the store reads its clock.
func stopInsideATransaction(ctx context.Context, path string) error {
	s, err := sqlite.Open(ctx, path, patient, sqlite.WithClock(func() time.Time {
		fmt.Println("in the transaction")
		_ = waitToBeKilled()
		return time.Time{}
	}))
	if err != nil {
		return err
	}
	return s.Insert(ctx, record(1), ledger.Event{})
}
