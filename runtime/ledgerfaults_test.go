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
		for _, f := range ledgerFaults {
			t.Run(f.name+" once", func(t *testing.T) {
				t.Parallel()
				meetEachCall(t, kind, func(n int, c *faultyCall) faults.Plan { return faults.Nth(n, f.of(c)) })
			})
			if f.stays {
				t.Run(f.name+" from then on", func(t *testing.T) {
					t.Parallel()
					meetEachCall(t, kind, func(n int, c *faultyCall) faults.Plan { return fromThenOn(n, f.of(c)) })
				})
			}
		}
	})
}

// meetEachCall has a fault come at the first call of the ledger that an apply makes, at the second, and so on; and at those
// of an undo.
func meetEachCall(t *testing.T, kind ledgerKind, plan func(n int, c *faultyCall) faults.Plan) {
	first := newWorld(t, over(t, kind))
	for _, undoes := range []bool{false, true} {
		n := 1
		for n < mostCalls && meetsFault(t, first, undoes, n, func(c *faultyCall) faults.Plan { return plan(n, c) }) {
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
func meetsFault(t *testing.T, of *world, undoes bool, n int, plan func(*faultyCall) faults.Plan) bool {
	t.Helper()
	c := &faultyCall{store: faults.New(of.store, nil)}
	w := again(t, of, c.store)
	value := fmt.Sprintf("value %d, %v", n, undoes)
	p := w.preview(t, "theme", value)
	was := w.value(t, "theme")
	call, wanted := "apply", value
	arguments := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
	if undoes {
		a := w.apply(t, p.ChangeID, p.ConfirmationToken)
		call, wanted, was = "undo", was, value
		arguments = map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken}
	}
	ctx, leave := context.WithTimeout(t.Context(), patience)
	defer leave()
	c.leave = leave
	c.store.Set(plan(c))
	told, err := w.try(ctx, call+"_set_setting", arguments)
	met := c.store.Injected()
	then := w.record(t, p.ChangeID)
	c.store.Set(nil)
	c.land()
	if err := w.guard.Close(t.Context()); err != nil {
		t.Fatalf("%v: close: %v", met, err)
	}
	is := outcome{then: then.Status, record: w.record(t, p.ChangeID), bodies: bodiesOf(t, w, p.ChangeID, call), wrote: w.value(t, "theme") == wanted, undoes: undoes}
	if problem := is.against(told, err); problem != "" {
		t.Fatalf("%s: %s\ntold: %s\nrecord: %+v\n%v", call, problem, told.raw, is.record.Mutable, met)
	}
	second := of.call(t, call+"_set_setting", arguments)
	if problem := is.afterSecond(second, bodiesOf(t, w, p.ChangeID, call)); problem != "" {
		t.Fatalf("%s: %s\ntold: %s, and then %s\n%v", call, problem, told.raw, second.raw, met)
	}
	return len(met) > 0
}

// again is a server of its own over the target of another, and over a ledger.
func again(t *testing.T, of *world, store ledger.Store) *world {
	t.Helper()
	w := &world{directory: of.directory, store: of.store, target: of.target, operation: newOperation(of.target), options: of.options, spec: of.spec, log: of.log, clock: of.clock}
	w.options.Store = store
	w.start(t)
	return w
}

// bodiesOf counts the bodies of a change that ran.
func bodiesOf(t *testing.T, w *world, id, body string) (n int) {
	t.Helper()
	if err := w.target.QueryRow(`SELECT count(*) FROM writes WHERE change = ? AND body = ?`, id, body).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// outcome is what came of a call.
type outcome struct {
	then   ledger.Status // when the caller was answered
	record ledger.Record // when nobody had anything left to write
	bodies int
	wrote  bool // the target is as the call was to leave it
	undoes bool
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
	case o.wrote && o.bodies == 0:
		return "it was written without a body"
	case r.Status == done && !o.wrote:
		return "it is recorded as done, and nothing was written"
	case (r.Status == undone || r.Outcome == "not_applied") && o.wrote:
		return "it is recorded as not done, and was written"
	case err != nil:
		return ""
	case told.Status == string(done) && o.then != done:
		return "it was told as done, and is not"
	case told.Status == "refused" && told.Code != "in_doubt" && (o.wrote || r.Status == done):
		return "it was told as not done, and is"
	case told.Status != "refused" && told.Status != string(done):
		return "it was told as neither done nor refused"
	}
	return ""
}

// afterSecond is what is wrong once the same call was made again; "" for nothing.
func (o outcome) afterSecond(told reply, bodies int) string {
	open := o.record.Status == ledger.Pending || o.undoes && o.record.Status == ledger.Applied
	switch done := told.Status != "refused"; {
	case bodies > 1 && o.wrote:
		return fmt.Sprintf("%d bodies ran", bodies)
	case open && !done:
		return "nothing was done, and the token does not do it"
	case !open && (done || bodies != o.bodies):
		return "a token was used twice"
	}
	return ""
}
