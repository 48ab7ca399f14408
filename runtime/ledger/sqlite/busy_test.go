package sqlite_test

import (
	"context"
	"database/sql"
	"math"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func TestAProgramThatLocksTheFileIsWaitedFor(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{}))
	r, _, err := s.Get(t.Context(), record(1).ID)
	must(t, err)
	unlock := lockFile(t, path)

	s.SetBusyTimeout(time.Millisecond)
	expectError(t, "insert", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrBusy)
	expectError(t, "swap", s.Swap(t.Context(), r, time.Time{}, ledger.Event{}), ledger.ErrBusy)
	if _, err := s.Now(t.Context()); err != nil {
		t.Errorf("a read has to wait for the lock: %v", err)
	}

	s.SetBusyTimeout(time.Hour)
	ctx, leave := context.WithCancel(t.Context())
	left := make(chan error, 1)
	go func() { left <- s.Insert(ctx, record(3), ledger.Event{}) }()
	leave()
	expectError(t, "insert of a caller that left", <-left, context.Canceled)

	waited := make(chan error, 1)
	go func() { waited <- s.Swap(t.Context(), r, time.Time{}, ledger.Event{}) }()
	unlock()
	if err := <-waited; err != nil {
		t.Errorf("swap that waited: %v", err)
	}
	for n := 2; n <= 3; n++ {
		_, _, err := s.Get(t.Context(), record(n).ID)
		expectError(t, "get "+record(n).ID, err, ledger.ErrNotFound)
	}
}

// TestTheLongestBusyTimeoutLastsUntilTheCallerLeaves opens a ledger that another store is writing to, with a time that no clock
// gets to the end of.
func TestTheLongestBusyTimeoutLastsUntilTheCallerLeaves(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	held, release, left := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		left <- s.Join(t.Context(), func(context.Context) (ledger.Record, ledger.Event, error) {
			close(held)
			<-release
			return ledger.Record{}, ledger.Event{}, errNotJoined
		})
	}()
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err := sqlite.Open(ctx, path, sqlite.WithBusyTimeout(math.MaxInt64))
	expectError(t, "open while another store has its turn", err, context.DeadlineExceeded)
	close(release)
	expectError(t, "the join that had it", <-left, errNotJoined)
}

// lockFile takes SQLite's write lock as a shell would.
func lockFile(t *testing.T, path string) (unlock func()) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_txlock=immediate")
	must(t, err)
	tx, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	return func() {
		must(t, tx.Rollback())
		must(t, db.Close())
	}
}
