package runtime_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// faultyCall is one call of a tool, over a ledger that goes wrong under it.
type faultyCall struct {
	store *faults.Store
	leave context.CancelFunc // the caller leaves
	mu    sync.Mutex
	late  []func() // calls that are still on their way when the caller is answered
}

// ledgerFault is what a ledger, or those who use it, may do to a call of it.
type ledgerFault struct {
	name  string
	of    func(c *faultyCall) faults.Fault
	stays bool // it may go on like that
}

var ledgerFaults = []ledgerFault{
	{"busy", always(faults.Refuse(fmt.Errorf("test: %w", ledger.ErrBusy))), true},
	{"unavailable", always(faults.Refuse(fmt.Errorf("test: %w", ledger.ErrUnavailable))), true},
	{"lost on the way", always(faults.Refuse(faults.ErrLost)), true},
	{"answer lost", always(faults.Lose(faults.ErrLost)), true},
	{"panic before", always(faults.Panic("test", false)), true},
	{"panic after", always(faults.Panic("test", true)), true},
	{"lands late", func(c *faultyCall) faults.Fault { return faults.Late(faults.ErrLost, c.putOff) }, true},
	{"caller has left", always(faults.Leave()), false},
	{"caller leaves before", func(c *faultyCall) faults.Fault { return faults.Before("the caller leaves", c.leave) }, false},
	{"caller leaves after", func(c *faultyCall) faults.Fault { return faults.After("the caller leaves", c.leave) }, false},
	{"hold lost before", func(c *faultyCall) faults.Fault { return faults.Before("the hold is lost", c.store.LoseHolds) }, false},
	{"hold lost after", func(c *faultyCall) faults.Fault { return faults.After("the hold is lost", c.store.LoseHolds) }, false},
	{"hold ends before", func(c *faultyCall) faults.Fault { return faults.Before("the hold ends", c.endHolds) }, false},
	{"hold ends after", func(c *faultyCall) faults.Fault { return faults.After("the hold ends", c.endHolds) }, false},
}

func always(f faults.Fault) func(*faultyCall) faults.Fault {
	return func(*faultyCall) faults.Fault { return f }
}

func (c *faultyCall) endHolds() { _ = c.store.EndHolds() }

func (c *faultyCall) putOff(call func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.late = append(c.late, call)
}

// land carries out what was put off.
func (c *faultyCall) land() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, call := range c.late {
		call()
	}
}

const (
	fewestCalls = 4  // that an apply or an undo makes of its ledger: two reads and two writes
	mostCalls   = 60 // is more than it makes, whatever goes wrong
)

// Whatever goes wrong with whichever call of the ledger, once or from then on: a body runs at most once, what the caller is
// told is so, and a token that was spent stays spent.
func TestWhateverFailsInTheLedgerWhatWasToldIsTrue(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		eachFault(t, func(t *testing.T, plan faultPlan) { meetEachCall(t, newWorld(t, over(t, kind)), plan) })
	})
}

// The same holds where the body writes to the ledger's own database: what is kept of it is kept once, with the record.
func TestWhateverFailsUnderAJoinedBodyWhatWasToldIsTrue(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		eachFault(t, func(t *testing.T, plan faultPlan) { meetEachCall(t, newWorld(t, joinedIn(t, kind)), plan) })
	})
}

// faultPlan has a fault come at the n-th call of the ledger.
type faultPlan func(n int, c *faultyCall) faults.Plan

func eachFault(t *testing.T, test func(t *testing.T, plan faultPlan)) {
	for _, f := range ledgerFaults {
		t.Run(f.name+" once", func(t *testing.T) {
			t.Parallel()
			test(t, func(n int, c *faultyCall) faults.Plan { return faults.Nth(n, f.of(c)) })
		})
		if f.stays {
			t.Run(f.name+" from then on", func(t *testing.T) {
				t.Parallel()
				test(t, func(n int, c *faultyCall) faults.Plan { return fromThenOn(n, f.of(c)) })
			})
		}
	}
}

// meetEachCall has a fault come at the first call of the ledger that an apply makes, at the second, and so on; and at those
// of an undo.
func meetEachCall(t *testing.T, first *world, plan faultPlan) {
	t.Helper()
	for _, undoes := range []bool{false, true} {
		n := 1
		for n < mostCalls && meetsFault(t, first, undoes, n, plan) {
			n++
		}
		if n <= fewestCalls || n == mostCalls {
			t.Errorf("%d calls of the ledger were met by a fault", n-1)
		}
	}
}

// fromThenOn has the fault come at the n-th call and all others after it.
func fromThenOn(n int, f faults.Fault) faults.Plan {
	return func(c faults.Call) faults.Fault {
		if c.N >= n {
			return f
		}
		return faults.Fault{}
	}
}

// meetsFault has one apply, or one undo, meet a fault at a call of the ledger, and checks what came of it, also for another
// server. It is false if there was no such call any more.
func meetsFault(t *testing.T, of *world, undoes bool, n int, plan faultPlan) bool {
	t.Helper()
	w, c := besideFailing(t, of)
	is := outcome{undoes: undoes, was: w.value(t, "theme"), asked: fmt.Sprintf("value %d, %v", n, undoes)}
	p := w.preview(t, "theme", is.asked)
	call, arguments := "apply", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
	if undoes {
		a := w.apply(t, p.ChangeID, p.ConfirmationToken)
		call, arguments = "undo", map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken}
	}
	ctx, leave := context.WithTimeout(t.Context(), patience)
	defer leave()
	c.leave = leave
	c.store.Set(plan(n, c))
	told, err := w.try(ctx, call+"_set_setting", arguments)
	met := c.store.Injected()
	is.then = w.record(t, p.ChangeID).Status
	c.store.Set(nil)
	c.land()
	w.closes(t)
	is.record, is.bodies, is.value = w.record(t, p.ChangeID), w.ran(t, p.ChangeID, call), w.value(t, "theme")
	if problem := is.against(told, err); problem != "" {
		t.Fatalf("%s: %s\ntold: %s\nrecord: %+v\n%v", call, problem, told.raw, is.record.Mutable, met)
	}
	second := of.call(t, call+"_set_setting", arguments)
	if problem := is.afterSecond(second, w.ran(t, p.ChangeID, call)); problem != "" {
		t.Fatalf("%s: %s\ntold: %s, and then %s\n%v", call, problem, told.raw, second.raw, met)
	}
	return len(met) > 0
}

// besideFailing is a server of its own over the target of another, and over the same ledger, which fails for it as planned.
func besideFailing(t *testing.T, of *world) (*world, *faultyCall) {
	t.Helper()
	w := &world{directory: of.directory, store: of.store, target: of.target, options: of.options, spec: of.spec, log: of.log, clock: of.clock}
	c := &faultyCall{}
	if of.operation.Joined {
		j := faults.NewJoiner(of.store.(ledger.Joiner), nil)
		w.options.Store, c.store, w.operation = j, j.Store, joinedOperation(of.target)
	} else {
		c.store = faults.New(of.store, nil)
		w.options.Store, w.operation = c.store, newOperation(of.target)
	}
	w.start(t)
	return w, c
}

// outcome is what came of a call.
type outcome struct {
	then   ledger.Status // when the caller was answered
	record ledger.Record // when nobody had anything left to write
	bodies int
	undoes bool

	was, asked string // what the change was to make of what
	value      string // what is there
}

// wrote tells whether the target is as the call was to leave it.
func (o outcome) wrote() bool {
	if o.undoes {
		return o.value == o.was
	}
	return o.value == o.asked
}

// against is what is wrong with an outcome, and with what the caller was told of it; "" for nothing. A caller with an error
// was told nothing.
func (o outcome) against(told reply, err error) string {
	done, undone := ledger.Applied, ledger.Pending
	if o.undoes {
		done, undone = ledger.Undone, ledger.Applied
	}
	switch r := o.record; {
	case o.bodies > 1:
		return fmt.Sprintf("%d bodies ran", o.bodies)
	case o.wrote() && o.bodies == 0:
		return "it was written without a body"
	case r.Status == done && !o.wrote():
		return "it is recorded as done, and nothing was written"
	case (r.Status == undone || r.Outcome == "not_applied") && o.wrote():
		return "it is recorded as not done, and was written"
	case err != nil:
		return ""
	case told.Status == string(done) && o.then != done:
		return "it was told as done, and is not"
	case told.Status == "refused" && told.Code != "in_doubt" && (o.wrote() || r.Status == done):
		return "it was told as not done, and is"
	case told.Status != "refused" && told.Status != string(done):
		return "it was told as neither done nor refused"
	}
	return ""
}

// afterSecond is what is wrong once the same call was made again; "" for nothing.
func (o outcome) afterSecond(told reply, bodies int) string {
	unspent := o.record.Status == ledger.Pending || o.undoes && o.record.Status == ledger.Applied
	lapsed := o.record.Joined && o.record.Status == ledger.Undoing // which proves that nothing was undone: it is applied again
	switch done := told.Status != "refused"; {
	case bodies > 1:
		return fmt.Sprintf("%d bodies ran", bodies)
	case unspent && !done:
		return "nothing was done, and the token does not do it"
	case done && (o.bodies > 0 || !unspent && !lapsed), !done && bodies != o.bodies:
		return "a token was used twice"
	}
	return ""
}
