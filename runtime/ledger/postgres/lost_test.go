package postgres_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// nothingWritten are the errors that say that nothing was written.
var nothingWritten = []error{
	ledger.ErrBusy, ledger.ErrConflict, ledger.ErrExpired, ledger.ErrExists, ledger.ErrRequested, ledger.ErrHoldOver, ledger.ErrCap,
}

// leavesOpen fails if an error says more than that nobody knows whether something was written.
func leavesOpen(t *testing.T, what string, err error) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: it succeeded without an answer", what)
	}
	if slices.ContainsFunc(nothingWritten, func(answer error) bool { return errors.Is(err, answer) }) {
		t.Errorf("%s: %v says that nothing was written", what, err)
	}
	failsWith(t, what, err, ledger.ErrUnavailable)
}

// TestALostAnswerIsLookedUpByItsWriteID cuts the connection of a write before and after the server gets it.
func TestALostAnswerIsLookedUpByItsWriteID(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		passes bool
	}{{"before the server gets it", false}, {"after the server has got it", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, dsn := newProxy(t, newDatabase(t))
			s := open(t, dsn)
			swapped, paired := insert(t, s, 1), insert(t, s, 2)
			lost := func(what string, write func(writeID string) error) {
				t.Helper()
				cut := p.cutAt("lost "+what, c.passes)
				leavesOpen(t, what, write("lost "+what))
				<-cut
			}
			lost("insert", func(writeID string) error {
				r := waiting(3)
				r.WriteID = writeID
				return s.Insert(t.Context(), r, previewed)
			})
			lost("swap", func(writeID string) error {
				return s.Swap(t.Context(), claim(swapped, writeID, "h"), never, claimed)
			})
			if got := get(t, s, 1).WriteID == "lost swap"; got != c.passes {
				t.Errorf("the swap was written: %t, and was carried out: %t", got, c.passes)
			}
			_, _, err := s.Get(t.Context(), id(3))
			if got := err == nil; got != c.passes {
				t.Errorf("the insert was written: %t, and was carried out: %t", got, c.passes)
			}
			// In a transaction of several statements the last of them is none of these.
			paired.WriteID = "lost pair"
			p.cutAt("lost pair", c.passes)
			err = s.SwapInsert(t.Context(), paired, claimed, waiting(4), previewed)
			failsWith(t, "a pair", err, ledger.ErrUnavailable)
			if got := get(t, s, 2).WriteID; got != "preview" {
				t.Errorf("half of a pair was written: %s", got)
			}
		})
	}
}

// TestALostAnswerSaysWhatToDo has that of a registration and of an insert be lost: only the latter can be looked at as a change.
func TestALostAnswerSaysWhatToDo(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	for _, c := range []struct {
		text, want, never string
		write             func() error
	}{
		{"hold_", "try it again", "changesetctl", func() error { _, err := s.Hold(t.Context()); return err }},
		{id(1), "look with: changesetctl show", "try", func() error { return s.Insert(t.Context(), waiting(1), previewed) }},
	} {
		cut := p.cutAt(c.text, true)
		err := c.write()
		<-cut
		if leavesOpen(t, c.want, err); !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), c.never) {
			t.Errorf("it fails with %v", err)
		}
	}
}

// TestAWriteWithoutAnAnswerSendsToTheStandbysToo has the server not answer in time, as one whose standby is away.
func TestAWriteWithoutAnAnswerSendsToTheStandbysToo(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	s.SetAnswerPatience(shortest)
	r := waiting(1)
	r.WriteID = "no answer"
	p.silenceAt(r.WriteID)
	var err error
	for wait := time.Second; p.isLoud(); wait *= 2 { // it may have come to nothing in that time
		s.SetBusyTimeout(wait)
		err = s.Insert(t.Context(), r, previewed)
	}
	if leavesOpen(t, "the insert", err); !strings.Contains(err.Error(), "the standbys") {
		t.Errorf("it fails with %v", err)
	}
	p.refuse() // so that nothing is waited for at the end
}

// TestAServerThatIsLostAsATransactionBeginsIsUnavailable cuts the connection before anything is done on it.
func TestAServerThatIsLostAsATransactionBeginsIsUnavailable(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	r := insert(t, s, 1)
	cut := p.cutAt("begin isolation level", false)
	failsWith(t, "the pair", s.SwapInsert(t.Context(), r, claimed, waiting(2), previewed), ledger.ErrUnavailable)
	<-cut
	if got := get(t, s, 1).Revision; got != 1 {
		t.Errorf("it is at revision %d", got)
	}
}

// TestALostCommitLeavesOpenWhetherBothWereWritten cuts the connection of a transaction at its end.
func TestALostCommitLeavesOpenWhetherBothWereWritten(t *testing.T) {
	t.Parallel()
	for _, passes := range []bool{false, true} {
		p, dsn := newProxy(t, newDatabase(t))
		s := open(t, dsn)
		old := insert(t, s, 1)
		old.WriteID = "pair"
		cut := p.cutAt("commit\x00", passes)
		leavesOpen(t, "the pair", s.SwapInsert(t.Context(), old, claimed, waiting(2), previewed))
		<-cut
		_, _, err := s.Get(t.Context(), id(2))
		if both := []bool{get(t, s, 1).WriteID == "pair", err == nil}; both[0] != passes || both[1] != passes {
			t.Errorf("written: %v, carried out: %t", both, passes)
		}
	}
}

// TestAfterALostAnswerARecordIsReadOnceItsWriteIsOver has a write go on in the server after its connection is gone, because it
// waits for a lock there.
func TestAfterALostAnswerARecordIsReadOnceItsWriteIsOver(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	s, other, watcher := open(t, dsn, postgres.WithBusyTimeout(time.Hour)), connect(t, direct), connect(t, direct)
	r := insert(t, s, 1)
	do(t, other, "BEGIN", "INSERT INTO changesetgen.events VALUES ('"+id(1)+"', 2, 0, '', '', '', '', '')") // as the claim will
	done := make(chan error, 1)
	go func() { done <- s.Swap(t.Context(), claim(r, "lost", "h"), never, claimed) }()
	untilWaiting(t, watcher)
	p.refuse()
	leavesOpen(t, "the claim", <-done)
	p.admit()
	read := make(chan string, 1)
	go func() {
		got, _, err := s.Get(t.Context(), r.ID)
		if err != nil {
			t.Error(err)
		}
		read <- got.WriteID
	}()
	select {
	case got := <-read:
		t.Fatalf("the record was read as %q while its write was under way", got)
	default:
	}
	do(t, other, "ROLLBACK")
	got := <-read
	if later := get(t, open(t, direct), 1).WriteID; got != later {
		t.Errorf("the record was read as %q, and is %q", got, later)
	}
}

// TestAfterALostAnswerANewRecordIsReadOnceItsInsertIsOver is the same for a record that nobody sees before.
func TestAfterALostAnswerANewRecordIsReadOnceItsInsertIsOver(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	s, other, watcher := open(t, dsn, postgres.WithBusyTimeout(time.Hour)), connect(t, direct), connect(t, direct)
	do(t, other, "BEGIN", "INSERT INTO changesetgen.events VALUES ('"+id(1)+"', 1, 0, '', '', '', '', '')") // as the insert will
	done := make(chan error, 1)
	go func() { done <- s.Insert(t.Context(), waiting(1), previewed) }()
	untilWaiting(t, watcher)
	const waits = " FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND backend_type = 'client backend'"
	inserts := value[int](t, watcher, "SELECT pid"+waits)
	p.refuse()
	leavesOpen(t, "the insert", <-done)
	p.admit()
	read := make(chan error, 1)
	go func() {
		_, _, err := s.Get(t.Context(), id(1))
		read <- err
	}()
	for value[int](t, watcher, "SELECT count(*)"+waits+" AND pid <> $1", inserts) == 0 {
		select {
		case err := <-read:
			t.Fatalf("the record was read with %v while its insert was under way", err)
		default:
		}
	}
	do(t, other, "ROLLBACK")
	got := <-read
	_, _, later := open(t, direct).Get(t.Context(), id(1))
	if errors.Is(got, ledger.ErrNotFound) != errors.Is(later, ledger.ErrNotFound) {
		t.Errorf("the record was read with %v, and is there with %v", got, later)
	}
}

// TestNothingIsSentWhereTheServerIsNotReached refuses connections.
func TestNothingIsSentWhereTheServerIsNotReached(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	r := insert(t, s, 1)
	p.refuse()
	err := postgres.ErrUndecided
	// As one that goes over a connection that was cut while nobody used it; or its time is over before it begins.
	for wait := shortest; errors.Is(err, postgres.ErrUndecided) || errors.Is(err, ledger.ErrBusy); wait *= 2 {
		s.SetBusyTimeout(wait)
		err = s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed)
	}
	failsWith(t, "the claim", err, ledger.ErrUnavailable)
	p.admit()
	s.SetBusyTimeout(time.Minute)
	r = get(t, s, 1) // at another revision, where a claim was sent and withdrawn
	if r.Status != ledger.Pending {
		t.Errorf("the claim was written: %s", r.Status)
	}
	if err := s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed); err != nil {
		t.Errorf("a claim once the server is reached: %v", err)
	}
}
