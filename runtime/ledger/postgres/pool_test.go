package postgres_test

import (
	"context"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// TestWhoFindsNoConnectionIsToldSo has a joined body keep the only connection of a store.
func TestWhoFindsNoConnectionIsToldSo(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	j.Store = open(t, j.dsn+"&pool_max_conns=1")
	s, begun, end, done := j.Store, make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		done <- j.join(t.Context(), func(context.Context, pgx.Tx) error {
			close(begun)
			<-end
			return errGivenUp
		})
	}()
	<-begun
	s.SetBusyTimeout(shortest)

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

	close(end)
	failsWith(t, "the body", <-done, errGivenUp)
	_, _, err = open(t, j.dsn).Get(t.Context(), id(2))
	failsWith(t, "get what was not inserted", err, ledger.ErrNotFound)
}

// TestReadsHaveAnEnd has a server not answer one whose caller does not leave.
func TestReadsHaveAnEnd(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other := open(t, dsn), connect(t, dsn)
	insert(t, s, 1)
	do(t, other, "BEGIN", "LOCK TABLE changesetgen.changes IN ACCESS EXCLUSIVE MODE")
	s.SetBusyTimeout(shortest)
	s.SetAnswerPatience(shortest)
	_, _, err := s.Get(context.Background(), id(1))
	failsWith(t, "a read", err, ledger.ErrUnavailable)
	do(t, other, "ROLLBACK")
	s.SetBusyTimeout(time.Minute)
	s.SetAnswerPatience(time.Minute)
	get(t, s, 1)
}

// TestJoinedBodiesKeepOnlyOtherBodiesWaiting has as many of them run as can.
func TestJoinedBodiesKeepOnlyOtherBodiesWaiting(t *testing.T) {
	t.Parallel()
	const bodies = 3 // of the connections that there are by default
	j := newJoining(t)
	var begun, back sync.WaitGroup
	end := make(chan struct{})
	begun.Add(bodies)
	for range bodies {
		back.Go(func() {
			err := j.join(t.Context(), func(context.Context, pgx.Tx) error {
				begun.Done()
				<-end
				return errGivenUp
			})
			failsWith(t, "join", err, errGivenUp)
		})
	}
	begun.Wait()
	old := insert(t, j.Store, 1)
	if err := j.SwapInsert(t.Context(), old, claimed, waiting(2), previewed); err != nil {
		t.Errorf("a pair: %v", err)
	}
	if _, err := j.Prune(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Undone}}, 1); err != nil {
		t.Errorf("prune: %v", err)
	}
	if err := j.Swap(t.Context(), claim(waiting(3), "x", "h"), never, claimed); err == nil {
		t.Error("what is not there was claimed")
	} else {
		failsWith(t, "a swap that has to look for its row", err, ledger.ErrConflict)
	}
	close(end)
	back.Wait()
}

// TestALookThatIsNotAnsweredKeepsNoWriteWaiting has the connection go silent over which a write looks for what was in its way.
func TestALookThatIsNotAnsweredKeepsNoWriteWaiting(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	insert(t, s, 1)
	p.silenceAt("SELECT EXISTS")
	s.SetAnswerPatience(shortest)
	var err error
	for wait := time.Second; p.isLoud(); wait *= 2 { // it may have come to nothing in that time
		s.SetBusyTimeout(wait)
		err = s.Insert(t.Context(), waiting(1), previewed)
	}
	failsWith(t, "a record of the same id", err, ledger.ErrBusy)
	s.SetBusyTimeout(time.Minute)
	insert(t, s, 2)
	p.refuse() // so that nothing is waited for at the end
}

// TestASilentConnectionKeepsNoOtherWriteWaiting has the connection of a write go silent while there are others.
func TestASilentConnectionKeepsNoOtherWriteWaiting(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn, postgres.WithBusyTimeout(patience))
	first, second := insert(t, s, 1), insert(t, s, 2)
	p.silenceAt("silent one")
	done := make(chan error, 1)
	go func() { done <- s.Swap(t.Context(), claim(first, "silent one", "h"), never, claimed) }()
	for p.isLoud() {
		runtime.Gosched()
	}
	if err := s.Swap(t.Context(), claim(second, "claim", "h"), never, claimed); err != nil {
		t.Errorf("the claim of another: %v", err)
	}
	p.refuse()
	leavesOpen(t, "the claim that nobody hears of", <-done)
}
