package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// panicAt is a driver that panics at the first swaps to a status, before it writes or after.
func panicAt(status ledger.Status, times int32, writes bool) func(ledger.Status, func() error) error {
	var begun atomic.Int32
	return func(to ledger.Status, write func() error) error {
		if to != status || begun.Add(1) > times {
			return write()
		}
		if writes {
			_ = write()
		}
		panic("hunter2")
	}
}

// A ledger that panics leaves open whether it wrote, and is looked at: nothing is spent, claimed or lost by it.
func TestLedgerThatPanicsIsAskedWhatItWrote(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		swap func(ledger.Status, func() error) error
		want string // code of the first apply; "" for none
	}{
		"before the claim":         {panicAt(ledger.Applying, 1, false), "internal"},
		"after the claim":          {panicAt(ledger.Applying, 1, true), ""},
		"before the outcome":       {panicAt(ledger.Applied, 3, false), ""},
		"after the outcome":        {panicAt(ledger.Applied, 1, true), ""},
		"at every try, for a time": {panicAt(ledger.Applied, 7, false), "in_doubt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, listening)
			p := w.preview(t, "theme", "dark")
			f.set(func(f *faulty) { f.swap = test.swap })
			switch r := w.apply(t, p.ChangeID, p.ConfirmationToken); {
			case test.want != "":
				wantRefused(t, r, test.want)
			case r.Status != "applied":
				t.Errorf("%s", r.raw)
			}
			if test.want == "internal" {
				w.apply(t, p.ChangeID, p.ConfirmationToken)
			}
			w.until(t, p.ChangeID, isIn(ledger.Applied))
			if w.writes(t) != 1 || w.record(t, p.ChangeID).Result == nil {
				t.Errorf("%d bodies ran, with the result %s", w.writes(t), w.record(t, p.ChangeID).Result)
			}
		})
	}
}

// Nothing that a ledger does under an undo that an operator requested ends the server. The request waits, and the log says
// why.
func TestOperatorsUndoWaitsForALedgerThatPanics(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*faulty){
		"at the claim": func(f *faulty) { f.swap = panicAt(ledger.Undoing, 3, false) },
		"at a read": func(f *faulty) {
			var reads atomic.Int32
			f.get = func(_ context.Context, read func() error) error {
				if reads.Add(1) <= 3 {
					panic("hunter2")
				}
				return read()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, polling)
			a := w.applied(t, "theme", "dark")
			w.closes(t)
			requestUndo(t, w, a.ChangeID)
			f.set(spoil)
			w.start(t)
			var r ledger.Record
			w.options.Sink.(bell).wait(t, func() bool {
				var err error
				r, _, err = w.store.Get(t.Context(), a.ChangeID)
				return err == nil && r.Status == ledger.Undone
			})
			if w.writes(t) != 2 {
				t.Errorf("%d bodies ran", w.writes(t))
			}
		})
	}
}

// The looking for requests outlives a ledger that panics.
func TestLookingForRequestsOutlivesALedgerThatPanics(t *testing.T) {
	t.Parallel()
	w, f := newFailingWorld(t, polling)
	a := w.applied(t, "theme", "dark")
	f.Set(atFirst(3, looksForRequests, faults.Panic("hunter2", false)))
	requestUndo(t, w, a.ChangeID)
	w.until(t, a.ChangeID, isIn(ledger.Undone))
}

// looksForRequests tells whether a guard looks for undos that operators request.
func looksForRequests(c faults.Call) bool { return c.Method == faults.List && c.Query.UndoRequested }

// What panics between a claim that was begun and the ledger's word on it is no claim that is waited for.
func TestClaimThatPanickedIsNotWaitedForAtClose(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		w, f := newFaultyWorld(t)
		p := w.preview(t, "theme", "dark")
		f.set(func(f *faulty) {
			f.get = func(context.Context, func() error) error { panic("hunter2") }
		})
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), string(runtime.CodeInternal))
		f.set(func(f *faulty) { f.get = nil })
		if err := w.guard.Close(t.Context()); err != nil {
			t.Errorf("it is waited for: %v", err)
		}
	})
}
