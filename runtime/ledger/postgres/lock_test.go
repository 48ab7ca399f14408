package postgres_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// TestAClaimThatWaitedForALockPastItsLimitFails has somebody lock a row until the limit of a claim that waits for it is over, by
// the clock of the database.
func TestAClaimThatWaitedForALockPastItsLimitFails(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other, watcher := open(t, dsn), connect(t, dsn), connect(t, dsn)
	r := insert(t, s, 1)
	do(t, other, "BEGIN", "UPDATE changesetgen.changes SET message = 'locked'")
	now := func() time.Time {
		clock, err := s.Now(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return clock.Now
	}
	var limit time.Time
	var done chan error
	for ahead, waits := 300*time.Millisecond, false; !waits; ahead *= 2 { // a claim that comes too late does not wait
		until := now().Add(ahead)
		limit = until
		done, waits = comesToWait(t, watcher, func() error { return s.Swap(t.Context(), claim(r, "late", "h"), until, claimed) })
	}
	for now().Before(limit) {
		continue
	}
	do(t, other, "ROLLBACK")
	failsWith(t, "the claim", <-done, ledger.ErrExpired)
	if got := get(t, s, 1); got.Revision != 1 || got.Status != ledger.Pending {
		t.Errorf("the record is at revision %d, %s", got.Revision, got.Status)
	}
}

// TestALockedRowKeepsNobodyFromWritingAnother has more claims wait for a row than a store writes at once.
func TestALockedRowKeepsNobodyFromWritingAnother(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other, watcher := open(t, dsn, postgres.WithBusyTimeout(patience)), connect(t, dsn), connect(t, dsn)
	r := insert(t, s, 1)
	do(t, other, "BEGIN", "UPDATE changesetgen.changes SET message = 'locked' WHERE id = '"+id(1)+"'")
	const callers = 64
	done := make(chan error, callers)
	for range callers {
		go func() { done <- s.Swap(t.Context(), claim(r, "first", "h"), never, claimed) }()
	}
	untilWaiting(t, watcher)
	for n := range 8 {
		another := insert(t, s, n+2)
		if err := s.Swap(t.Context(), claim(another, "claim", "h"), never, claimed); err != nil {
			t.Errorf("swap of another: %v", err)
		}
	}
	do(t, other, "ROLLBACK")
	won := 0
	for range callers {
		if err := <-done; err == nil {
			won++
		} else {
			failsWith(t, "a claim", err, ledger.ErrConflict)
		}
	}
	if won != 1 {
		t.Errorf("%d claims won", won)
	}
}

// TestWhatIsCountedKeepsNoClaimWaiting has an insert under a cap wait for somebody who adds the same record.
func TestWhatIsCountedKeepsNoClaimWaiting(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	s, other, watcher := open(t, dsn, postgres.WithBusyTimeout(patience)), connect(t, dsn), connect(t, dsn)
	r := insert(t, s, 1)
	do(t, other, "BEGIN", "INSERT INTO changesetgen.changes SELECT (jsonb_populate_record(c, '{"+`"id": "`+id(2)+`"`+"}')).* FROM changesetgen.changes AS c")
	done := make(chan error, 1)
	go func() {
		done <- s.Insert(t.Context(), waiting(2), previewed, ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 10})
	}()
	untilWaiting(t, watcher)
	if err := s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed); err != nil {
		t.Errorf("the claim of another: %v", err)
	}
	do(t, other, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("the insert: %v", err)
	}
}

// TestWhatGoesTogetherWaitsForNoLockThatIsKept has somebody keep the lock of a cap, and somebody else add a record, which some
// of the writes that go to the database together need.
func TestWhatGoesTogetherWaitsForNoLockThatIsKept(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	patient, s := open(t, dsn, postgres.WithBusyTimeout(time.Hour)), open(t, dsn)
	s.SetBusyTimeout(20 * time.Second)
	other, watcher := connect(t, dsn), connect(t, dsn)
	swapped := []ledger.Record{insert(t, s, 1), insert(t, s, 2)}
	underCap := ledger.Cap{Of: ledger.Query{Server: "settings"}, Max: 10}
	do(t, other, "BEGIN")
	for n := range 2 { // as the inserts will, the first of them with the lock of the cap
		do(t, other, "INSERT INTO changesetgen.events VALUES ('"+id(10+n)+"', 1, 0, '', '', '', '', '')")
	}
	done := make(chan error, 1)
	go func() { done <- patient.Insert(t.Context(), waiting(10), previewed, underCap) }()
	untilWaiting(t, watcher)
	writes := []postgres.Write{
		postgres.NewInsert(waiting(11), previewed),
		postgres.NewSwap(claim(swapped[0], "claim", "h"), never, claimed),
		postgres.NewInsert(waiting(12), previewed, underCap),
		postgres.NewInsert(waiting(13), previewed, underCap),
		postgres.NewSwap(claim(swapped[1], "claim", "h"), never, claimed),
	}
	for n, err := range s.Together(t.Context(), writes) {
		failsWith(t, fmt.Sprint("write ", n), err, []error{postgres.ErrLocked, nil, postgres.ErrLocked, postgres.ErrLocked, nil}[n])
	}
	do(t, other, "ROLLBACK")
	if err := <-done; err != nil {
		t.Errorf("the insert that kept the lock: %v", err)
	}
}

// TestALockThatIsKeptIsBusy has somebody keep a row locked for longer than a store waits.
func TestALockThatIsKeptIsBusy(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	r := insert(t, open(t, dsn), 1)
	other := connect(t, dsn)
	do(t, other, "BEGIN", "UPDATE changesetgen.changes SET message = 'locked'")
	hasty := open(t, dsn)
	hasty.SetBusyTimeout(shortest)
	err := hasty.Swap(t.Context(), claim(r, "late", "h"), never, claimed)
	for errors.Is(err, ledger.ErrUnavailable) { // it had no connection in that time
		err = hasty.Swap(t.Context(), claim(r, "late", "h"), never, claimed)
	}
	failsWith(t, "the claim", err, ledger.ErrBusy)
	do(t, other, "ROLLBACK")
	hasty.SetBusyTimeout(time.Minute)
	if got := get(t, hasty, 1); got.Revision != 1 || got.Status != ledger.Pending {
		t.Errorf("the record is at revision %d, %s", got.Revision, got.Status)
	}
}

// shortest is a busy timeout that is over before anything that takes time is.
const shortest = 50 * time.Millisecond
