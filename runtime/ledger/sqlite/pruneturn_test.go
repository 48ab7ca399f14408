package sqlite_test

import (
	"database/sql"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// TestAPruneLeavesTheTurnToOthersBetweenItsChunks has another store write between the first chunk of a prune and the
// second.
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
	c := &chunks{order: &order, isWriting: writerAt(t, path), reached: make(chan struct{}), written: make(chan struct{})}
	pruner := open(t, path, sqlite.WithStretch(5), sqlite.WithClock(c.clock))

	pruned := make(chan error)
	go func() {
		_, err := pruner.Prune(t.Context(), ledger.Query{}, 100)
		pruned <- err
	}()
	<-c.reached
	err := waiting.Insert(t.Context(), record(20), ledger.Event{})
	close(c.written)
	must(t, err)
	must(t, <-pruned)
	r, _, err := waiting.Get(t.Context(), record(20).ID)
	must(t, err)
	if at := r.UpdatedAt.UnixMilli(); at < c.first || at > c.last {
		t.Errorf("it was written at %d, and the prune lasted from %d to %d", at, c.first, c.last)
	}
	if left := everythingIn(t, waiting); len(left) != 1 {
		t.Errorf("%d changes are left", len(left))
	}
}

// chunks is the clock of a prune, which looks for each chunk outside of a transaction: before the second it waits until
// another one has written. It knows when the first and the last transactions were.
type chunks struct {
	order            *atomic.Int64
	isWriting        func() bool
	reached, written chan struct{}
	first, last      int64
}

func (c *chunks) clock() time.Time {
	now := c.order.Add(1)
	switch {
	case !c.isWriting() && c.first > 0:
		<-c.written
	case c.isWriting() && c.first == 0:
		c.first = now
		close(c.reached)
	case c.isWriting():
		c.last = now
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
