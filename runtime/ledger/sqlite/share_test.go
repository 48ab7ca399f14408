package sqlite_test

import (
	"os"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// patience bounds what is waited for. It is no expectation: a busy machine may stall for long.
const patience = 2 * time.Minute

// TestAProcessThatWritesWithoutAPauseLetsOthersIn has one store write twice in a row while another one waits. The lock is
// free between the two for no longer than that takes, which a store that only polls would miss, for seconds.
func TestAProcessThatWritesWithoutAPauseLetsOthersIn(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	var order atomic.Int64 // of the transactions, as a time
	reached, goOn, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	clock := func() time.Time { return time.UnixMilli(order.Add(1)) }
	busy := open(t, path, sqlite.WithClock(func() time.Time {
		select {
		case reached <- struct{}{}:
		case <-goOn:
		}
		<-goOn
		return clock()
	}))
	waiting := open(t, path, sqlite.WithClock(func() time.Time {
		keepUntilAsked(t, path, goOn, done)
		return clock()
	}))
	busy.ShareAtOnce(patience)

	written := make(chan error, 3)
	go func() {
		defer close(done)
		written <- busy.Insert(t.Context(), record(1), ledger.Event{})
		written <- busy.Insert(t.Context(), record(3), ledger.Event{})
	}()
	<-reached
	before := modified(t, waiting.LockPath())
	go func() { written <- waiting.Insert(t.Context(), record(2), ledger.Event{}) }()
	for until := time.Now().Add(patience); modified(t, waiting.LockPath()).Equal(before); { // until it waits
		if time.Now().After(until) {
			close(goOn)
			t.Fatal("the other one never waits")
		}
	}
	close(goOn)
	for range 3 {
		must(t, <-written)
	}
	var last time.Time
	for n := 1; n <= 3; n++ {
		r, _, err := waiting.Get(t.Context(), record(n).ID)
		must(t, err)
		if !r.UpdatedAt.After(last) {
			t.Errorf("record %d was written at %d, not in the order 1, 2, 3", n, r.UpdatedAt.UnixMilli())
		}
		last = r.UpdatedAt
	}
}

// keepUntilAsked keeps a transaction open, once going, until another process asks for the lock, so that this one sees that it
// was taken; or until that is done.
func keepUntilAsked(t *testing.T, path string, going, done <-chan struct{}) {
	t.Helper()
	select {
	case <-going:
	default:
		return
	}
	lock := path + ".lock"
	for before := modified(t, lock); modified(t, lock).Equal(before); {
		select {
		case <-done:
			return
		default:
		}
	}
}

func modified(t *testing.T, path string) time.Time {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Error(err)
		return time.Time{}
	}
	return info.ModTime()
}
