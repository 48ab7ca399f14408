package postgres_test

import (
	"context"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// TestWhoFindsNoConnectionIsToldSo has a read keep the only connection of a store.
func TestWhoFindsNoConnectionIsToldSo(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other, watcher := open(t, dsn+"&pool_max_conns=1"), connect(t, dsn), connect(t, dsn)
	insert(t, s, 1)
	s.SetBusyTimeout(shortest)
	do(t, other, "BEGIN", "LOCK TABLE changesetgen.changes IN ACCESS EXCLUSIVE MODE")
	done := make(chan error, 1)
	go func() {
		_, err := s.List(t.Context(), ledger.Query{})
		done <- err
	}()
	untilWaiting(t, watcher)

	left, leave := context.WithCancel(t.Context())
	leave()
	_, _, err := s.Get(left, id(1))
	failsWith(t, "a read that left", err, context.Canceled)
	failsWith(t, "an insert that left", s.Insert(left, waiting(2), previewed), context.Canceled)
	soon, leave := context.WithTimeout(t.Context(), shortest/10)
	defer leave()
	failsWith(t, "an insert that left while it waited", s.Insert(soon, waiting(2), previewed), context.DeadlineExceeded)
	_, _, err = s.Get(t.Context(), id(1))
	failsWith(t, "a read that waited", err, ledger.ErrBusy)
	failsWith(t, "an insert that waited", s.Insert(t.Context(), waiting(2), previewed), ledger.ErrBusy)

	do(t, other, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("the list: %v", err)
	}
	_, _, err = open(t, dsn).Get(t.Context(), id(2))
	failsWith(t, "get what was not inserted", err, ledger.ErrNotFound)
}
