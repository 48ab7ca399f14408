package postgres_test

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
)

// Each write is given up by who sent it, and held back on its way to the server until its record was read.
func TestAWriteThatIsHeldBackComesToNothingOnceItsRecordWasRead(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func(t *testing.T, s *postgres.Store, r ledger.Record) error{
		"a claim": func(t *testing.T, s *postgres.Store, r ledger.Record) error {
			return s.Swap(t.Context(), claim(r, "held back", "h"), never, claimed)
		},
		"one of two": func(t *testing.T, s *postgres.Store, r ledger.Record) error {
			each := s.Together(t.Context(), []postgres.Write{
				postgres.NewSwap(claim(r, "held back", "h"), never, claimed), postgres.NewInsert(waiting(2), previewed),
			})
			return errors.Join(each...)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			direct := newDatabase(t)
			p, dsn := newProxy(t, direct)
			s := open(t, dsn)
			r := insert(t, s, 1)
			release := p.holdAt("held back")
			leavesOpen(t, name, write(t, s, r))
			wantAtRevision(t, s, 2)
			release()
			other := open(t, direct)
			r = wantAtRevision(t, other, 2)
			wantWithdrawn(t, other)
			if err := other.Swap(t.Context(), claim(r, "another claim", "h"), never, claimed); err != nil {
				t.Errorf("another claim: %v", err)
			}
			if told, err := other.Check(t.Context()); len(told) != 0 || err != nil {
				t.Errorf("the ledger is not sound: %q, %v", told, err)
			}
		})
	}
}

// wantAtRevision reads the first change, which is to wait as it was previewed.
func wantAtRevision(t *testing.T, s *postgres.Store, revision int64) ledger.Record {
	t.Helper()
	r := get(t, s, 1)
	if r.Status != ledger.Pending || r.WriteID != "preview" || r.Revision != revision {
		t.Errorf("it is %s at revision %d by %q, want %s at revision %d by %q", r.Status, r.Revision, r.WriteID, ledger.Pending, revision, "preview")
	}
	return r
}

// wantWithdrawn fails unless the latest event of the first change says why its revision is another one.
func wantWithdrawn(t *testing.T, s *postgres.Store) {
	t.Helper()
	events, err := s.Events(t.Context(), id(1))
	if err != nil {
		t.Fatal(err)
	}
	e := events[len(events)-1]
	if e.Actor != "ledger" || e.Code != ledger.CodeWithdrawn || e.From != ledger.Pending || e.To != ledger.Pending || e.Reason == "" {
		t.Errorf("the latest event: %+v", e)
	}
}

// A write that panics on its way is one that nobody answered for: it may have come as far as the server.
func TestAWriteThatPanickedComesToNothingOnceItsRecordWasRead(t *testing.T) {
	t.Parallel()
	var breaks atomic.Bool
	s := open(t, newDatabase(t), postgres.WithClock(func() time.Time {
		if breaks.Load() {
			panic("out of order")
		}
		return time.Now()
	}))
	r := insert(t, s, 1)
	func() {
		defer breaks.Store(false)
		defer func() {
			if recover() == nil {
				t.Error("the claim did not panic")
			}
		}()
		breaks.Store(true)
		_ = s.Swap(t.Context(), claim(r, "claim", "h"), never, claimed)
	}()
	wantAtRevision(t, s, 2)
	wantWithdrawn(t, s)
}

// What others have written since is not moved on: the write that is held back comes to nothing by that.
func TestARecordThatHasMovedSinceALostAnswerIsNotMovedOn(t *testing.T) {
	t.Parallel()
	direct := newDatabase(t)
	p, dsn := newProxy(t, direct)
	s, other := open(t, dsn), open(t, direct)
	r := insert(t, s, 1)
	release := p.holdAt("held back")
	leavesOpen(t, "the claim", s.Swap(t.Context(), claim(r, "held back", "h"), never, claimed))
	if err := other.Swap(t.Context(), claim(r, "another claim", "h"), never, claimed); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got := get(t, s, 1); got.WriteID != "another claim" || got.Revision != 2 {
			t.Errorf("it is at revision %d by %q", got.Revision, got.WriteID)
		}
	}
	release()
	if got := get(t, other, 1); got.WriteID != "another claim" || got.Revision != 2 {
		t.Errorf("later it is at revision %d by %q", got.Revision, got.WriteID)
	}
}

// A new record that is there was added: nothing of it is on its way.
func TestANewRecordIsNotMovedOnAfterALostAnswer(t *testing.T) {
	t.Parallel()
	p, dsn := newProxy(t, newDatabase(t))
	s := open(t, dsn)
	r := waiting(1)
	r.WriteID = "lost insert"
	cut := p.cutAt("lost insert", true)
	leavesOpen(t, "the insert", s.Insert(t.Context(), r, previewed))
	<-cut
	if got := get(t, s, 1); got.WriteID != "lost insert" || got.Revision != 1 {
		t.Errorf("it is at revision %d by %q", got.Revision, got.WriteID)
	}
}
