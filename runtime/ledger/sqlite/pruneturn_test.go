package sqlite_test

import (
	"database/sql"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestAPruneLeavesTheTurnToOthersBetweenItsChunks has another store claim while a prune of several chunks is in the first.
func TestAPruneLeavesTheTurnToOthersBetweenItsChunks(t *testing.T) {
	t.Parallel()
	path := newQuickPath(t)
	var order atomic.Int64 // of the transactions, as a time
	waiting := open(t, path, sqlite.WithClock(func() time.Time { return time.UnixMilli(order.Add(1)) }))
	for n := range 20 {
		r := record(n)
		r.Status = ledger.Rejected
		must(t, waiting.Insert(t.Context(), r, ledger.Event{}))
	}
	c := &chunks{order: &order, isWriting: writerAt(t, path), reached: make(chan struct{}), goOn: make(chan struct{})}
	pruner := open(t, path, sqlite.WithStretch(5), sqlite.WithClock(c.clock))
	pruner.ShareAtOnce()

	done := make(chan error, 2)
	go func() {
		_, err := pruner.Prune(t.Context(), ledger.Query{}, 100)
		done <- err
	}()
	<-c.reached
	before := modified(t, waiting.LockPath())
	go func() { done <- waiting.Insert(t.Context(), record(20), ledger.Event{}) }()
	for until := time.Now().Add(patience); modified(t, waiting.LockPath()).Equal(before); { // until it waits
		if time.Now().After(until) {
			close(c.goOn)
			t.Fatal("the other one never waits")
		}
	}
	close(c.goOn)
	must(t, <-done)
	must(t, <-done)
	r, _, err := waiting.Get(t.Context(), record(20).ID)
	must(t, err)
	if at := r.UpdatedAt.UnixMilli(); at < c.first || at > c.last {
		t.Errorf("it was written at %d, and the prune lasted from %d to %d", at, c.first, c.last)
	}
	if left := everythingIn(t, waiting); len(left) != 1 {
		t.Errorf("%d changes are left", len(left))
	}
}

// chunks is the clock of a prune: it stops in its first transaction until it may go on, and knows when its first and last
// transactions were.
type chunks struct {
	order         *atomic.Int64
	isWriting     func() bool
	once          sync.Once
	reached, goOn chan struct{}
	first, last   int64
}

func (c *chunks) clock() time.Time {
	now := c.order.Add(1)
	if c.isWriting() {
		c.last = now
		c.once.Do(func() {
			c.first = now
			close(c.reached)
			<-c.goOn
		})
	}
	return time.UnixMilli(now)
}

// writerAt tells whether somebody is writing to a ledger.
func writerAt(t *testing.T, path string) func() bool {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return func() bool {
		_, err := db.Exec("BEGIN IMMEDIATE; ROLLBACK")
		return err != nil
	}
}
