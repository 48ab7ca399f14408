package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// joinedLists is a ledger that tells when it was asked for the joined claims that are open.
type joinedLists struct {
	ledger.Joiner
	lists  atomic.Int32
	looked bell
}

func (l *joinedLists) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	if q.Joined {
		l.lists.Add(1)
		l.looked.ring()
	}
	return l.Joiner.List(ctx, q)
}

// passes waits for a look at them from its beginning to its end.
func (l *joinedLists) passes(t *testing.T) {
	t.Helper()
	from := l.lists.Load()
	l.looked.wait(t, func() bool { return l.lists.Load() >= from+2 })
}

// alive is another server over what a server shares that is killed. It looks at the ledger all the time.
func (k *killing) alive(t *testing.T) (*world, *joinedLists) {
	t.Helper()
	l := &joinedLists{looked: make(bell, 1)}
	return newWorld(t, polling, func(w *world) {
		w.store = openLedgerAt(t, k.in.ledger, nil)
		l.Joiner = w.store.(ledger.Joiner)
		w.options.Store = l
		w.target, w.operation = k.target, joinedOperation(k.target)
	}), l
}

// The points of joined bodies at which a server is killed while others of the same operation live.
var killedBesideOthers = map[string]killed{
	"in the body of an apply": {point: wroteApply, writes: 0, stands: ledger.ApplyFailed},
	"in the body of an undo":  {point: wroteUndo, writes: 1, stands: ledger.Applied},
}

// Servers that live settle what another one left that was killed, though nobody asks them: one of them does, and none
// complains.
func TestJoinedClaimOfAKilledServerIsSettledByOneThatLives(t *testing.T) {
	atEachPoint(t, killedBesideOthers, newJoinedKilling, func(t *testing.T, k *killing, at killed) {
		victim := startProcess(t, k.in, at.point)
		one, _ := k.alive(t)
		other, _ := k.alive(t)
		tool, arguments := "apply_set_setting", victim.toApply(t)
		if at.point == wroteUndo {
			tool, arguments = "undo_set_setting", victim.toUndo(t, arguments)
		}
		victim.crash(t, tool, arguments)
		id := arguments["change_id"]
		k.in.expireHolder(t, one.record(t, id).Holder)
		one.becomes(t, id, at.stands)
		one.closes(t)
		other.closes(t)
		if n := len(eventsWith(t, one, id, "a joined claim that is not carried out any more wrote nothing")); n != 1 {
			t.Errorf("it was settled %d times: %+v", n, one.events(t, id))
		}
		if log := one.log.String() + other.log.String(); strings.Contains(log, "level=ERROR") {
			t.Errorf("a server complains:\n%s", log)
		}
		wantWrites(t, k.target, at.writes, "after the kill")
	})
}

// What a server that lives has begun is left to it, however often others look.
func TestJoinedClaimOfALivingServerIsLeftToIt(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		k := newJoinedKilling(t, kind)
		holder := startProcess(t, k.in, after(ledger.Applying))
		other, looks := k.alive(t)
		apply := holder.toApply(t)
		answer := make(chan reply, 1)
		go func() {
			r, _ := holder.try(context.Background(), "apply_set_setting", apply)
			answer <- r
		}()
		holder.stopped(t)
		looks.passes(t)
		if r := other.record(t, apply["change_id"]); r.Status != ledger.Applying {
			t.Errorf("while it is carried out: %+v", r.Mutable)
		}
		_ = holder.goOn.Close()
		if r := <-answer; r.Status != "applied" {
			t.Errorf("%s", r.raw)
		}
		wantWrites(t, k.target, 1, "in the end")
	})
}

// newFailing is a world with joined bodies over a ledger that can be made to fail. It looks at that all the time.
func newFailing(t *testing.T) (w *world, f *faults.Joiner) {
	t.Helper()
	w = newWorld(t, polling, joined(t), func(w *world) {
		f = faults.NewJoiner(w.store.(ledger.Joiner), nil)
		w.options.Store = f
	})
	return w, f
}

// Where the ledger does not take that nothing was written, as on a full disk, the log says so once, and when it is over. It is
// tried again meanwhile.
func TestJoinedClaimIsSettledOnceTheLedgerTakesThat(t *testing.T) {
	t.Parallel()
	var refusals atomic.Int32
	happened := make(bell, 1)
	w, f := newFailing(t)
	f.Set(func(c faults.Call) faults.Fault {
		if c.Event.To != ledger.ApplyFailed {
			return faults.Fault{}
		}
		refusals.Add(1)
		happened.ring()
		return faults.Refuse(fmt.Errorf("no room is left: %w", ledger.ErrUnavailable))
	})
	p := w.left(t)
	happened.wait(t, func() bool { return refusals.Load() > 2 })
	w.recovers(t, f, happened)
	if r := w.record(t, p.ChangeID); r.Status != ledger.ApplyFailed {
		t.Errorf("%+v", r.Mutable)
	}
	w.wantLogged(t, map[string]int{
		"level=ERROR": 1, "the ledger does not answer": 1, "no room is left": 1, "the ledger answers again": 1,
	})
}

// What the ledger does not take of one keeps no other waiting. It is tried again, whatever that was.
func TestJoinedClaimThatCannotBeSettledKeepsNoOtherWaiting(t *testing.T) {
	t.Parallel()
	w, f := newFailing(t)
	refuse := func(those func(id string) bool) {
		f.Set(func(c faults.Call) faults.Fault {
			if c.Event.To == ledger.ApplyFailed && those(c.Change) {
				return faults.Refuse(errors.New("a trigger refused it"))
			}
			return faults.Fault{}
		})
	}
	refuse(func(string) bool { return true })
	one, other := w.left(t).ChangeID, w.left(t).ChangeID
	first, second := min(one, other), max(one, other) // as they are listed
	refuse(func(id string) bool { return id == first })
	w.becomes(t, second, ledger.ApplyFailed)
	if r := w.record(t, first); r.Status != ledger.Applying {
		t.Errorf("the first is %s", r.Status)
	}
	f.Set(nil)
	w.becomes(t, first, ledger.ApplyFailed)
}

// What servers of another name have begun is theirs.
func TestJoinedClaimOfAnotherServerIsLeftAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, joined(t))
	p := w.left(t)
	l := &joinedLists{Joiner: w.store.(ledger.Joiner), looked: make(bell, 1)}
	w.beside(t, polling, func(o *world) { o.options.Store, o.spec.Server = l, "other" })
	l.passes(t)
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applying {
		t.Errorf("%+v", r.Mutable)
	}
}
