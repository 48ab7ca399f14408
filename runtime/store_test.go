package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// faulty is a ledger whose answers a test changes.
type faulty struct {
	*faults.Store
	mu     sync.Mutex
	insert func(write func() error) error
	swap   func(to ledger.Status, write func() error) error
	get    func(ctx context.Context, read func() error) error
	retry  func(write func() error) error // of SwapInsert
}

// newFaulty is a ledger that does as it is asked until a test changes its answers.
func newFaulty(store ledger.Store) *faulty {
	f := &faulty{}
	f.Store = faults.New(store, f.plan)
	return f
}

func (f *faulty) plan(c faults.Call) faults.Fault {
	f.mu.Lock()
	insert, swap, get, retry := f.insert, f.swap, f.get, f.retry
	f.mu.Unlock()
	during := func(answer func(ctx context.Context, call func() error) error) faults.Fault {
		return faults.Fault{Do: func(ctx context.Context, call func(context.Context) error) error {
			return answer(ctx, func() error { return call(ctx) })
		}}
	}
	switch {
	case c.Method == faults.Insert && insert != nil:
		return during(func(_ context.Context, write func() error) error { return insert(write) })
	case c.Method == faults.Swap && swap != nil:
		return during(func(_ context.Context, write func() error) error { return swap(c.Record.Status, write) })
	case c.Method == faults.SwapInsert && retry != nil:
		return during(func(_ context.Context, write func() error) error { return retry(write) })
	case c.Method == faults.Get && get != nil:
		return during(get)
	}
	return faults.Fault{}
}

func (f *faulty) set(change func(*faulty)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// newFaultyWorld is a world over a faulty ledger.
func newFaultyWorld(t *testing.T, changes ...func(*world)) (*world, *faulty) {
	t.Helper()
	var f *faulty
	w := newWorld(t, append(changes, func(w *world) {
		f = newFaulty(w.store)
		w.options.Store = f
	})...)
	return w, f
}

// newFailingWorld is a world over a ledger that fails as a test plans.
func newFailingWorld(t *testing.T, changes ...func(*world)) (*world, *faults.Store) {
	t.Helper()
	var f *faults.Store
	w := newWorld(t, append(changes, func(w *world) {
		f = faults.New(w.store, nil)
		w.options.Store = f
	})...)
	return w, f
}

// atFirst has a fault come at the first n calls of a kind.
func atFirst(n int, kind func(faults.Call) bool, f faults.Fault) faults.Plan {
	return func(c faults.Call) faults.Fault {
		if !kind(c) || n == 0 {
			return faults.Fault{}
		}
		n--
		return f
	}
}

var errLost = errors.New("the answer was lost, and confirm_ or undo_ with it")

// lose writes or not, and loses the answer of the first swap to a status.
func lose(status ledger.Status, writes bool) func(ledger.Status, func() error) error {
	var lost atomic.Bool
	return func(to ledger.Status, write func() error) error {
		if to != status || lost.Swap(true) {
			return write()
		}
		if writes {
			return errors.Join(errLost, write())
		}
		return errLost
	}
}

func TestClaimWithALostAnswerRunsOnlyIfItIsOurs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		writes bool
		bodies int
		status string // of the change after the first call
	}{
		{"written", true, 1, "applied"},
		{"not written", false, 0, "pending"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t)
			p := w.preview(t, "theme", "dark")
			f.set(func(f *faulty) { f.swap = lose(ledger.Applying, test.writes) })
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			if w.writes(t) != test.bodies || w.status(t, p.ChangeID).Status != test.status {
				t.Fatalf("%s, %d bodies ran", r.raw, w.writes(t))
			}
			w.apply(t, p.ChangeID, p.ConfirmationToken)
			if w.writes(t) != 1 {
				t.Errorf("after a second apply %d bodies ran", w.writes(t))
			}
		})
	}
}

// Another claim that won while the answer was lost is not ours.
func TestClaimLostToAnotherDoesNotRun(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			r := w.record(t, p.ChangeID)
			r.Status, r.ClaimID, r.Holder = ledger.Applying, "another claim", "another holder"
			err := w.store.Swap(context.Background(), r, time.Time{}, ledger.Event{Actor: "agent", From: ledger.Pending, To: ledger.Applying})
			return errors.Join(errLost, err)
		}
	})
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "in_doubt") // as of any claim whose holder nobody knows
	if w.writes(t) != 0 || w.record(t, p.ChangeID).ClaimID != "another claim" {
		t.Errorf("%s, %d bodies ran", r.raw, w.writes(t))
	}
	f.set(func(f *faulty) { f.swap = nil })
	if s := w.status(t, p.ChangeID); !s.InDoubt {
		t.Errorf("under a holder that nobody knows: %s", s.raw)
	}
}

// A claim that may or may not be there, with nobody to tell, is never run, now or later. Its guard knows that, and settles
// it once the ledger answers.
func TestClaimThatNobodyCanConfirmWroteNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		undo, landed bool
		want         ledger.Status
	}{
		"apply":             {false, true, ledger.ApplyFailed},
		"apply, not landed": {false, false, ledger.Pending},
		"undo":              {true, true, ledger.Applied},
		"undo, not landed":  {true, false, ledger.Applied},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t)
			p := w.preview(t, "theme", "dark")
			call := func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
			if test.undo {
				a := call()
				call = func() reply { return w.undo(t, a.ChangeID, a.UndoToken) }
			}
			bodies := w.writes(t)
			f.set(func(f *faulty) {
				f.swap = func(_ ledger.Status, write func() error) error {
					f.set(func(f *faulty) { f.get = func(context.Context, func() error) error { return errLost } })
					if !test.landed {
						return errLost
					}
					return errors.Join(errLost, write())
				}
			})
			wantRefused(t, call(), "internal")
			f.set(func(f *faulty) { f.swap, f.get = nil, nil })
			w.closes(t)
			r := w.record(t, p.ChangeID)
			if r.Status != test.want || r.Status == ledger.ApplyFailed && r.Outcome != "not_applied" || w.writes(t) != bodies {
				t.Errorf("%+v, %d bodies ran", r.Mutable, w.writes(t))
			}
			if log := w.log.String(); strings.Contains(log, "after the change was settled") {
				t.Errorf("its own claim was taken for another's:\n%s", log)
			}
		})
	}
}

func TestOutcomeIsWrittenAlthoughTheLedgerIsBusy(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	var busy atomic.Int32
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			if to == ledger.Applied && busy.Add(1) <= 3 {
				return fmt.Errorf("test: %w", ledger.ErrBusy)
			}
			return write()
		}
	})
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if a.Status != "applied" || busy.Load() != 4 {
		t.Fatalf("%s after %d tries", a.raw, busy.Load())
	}
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Errorf("%s", u.raw)
	}
}

func TestOutcomeWithALostAnswerIsTold(t *testing.T) {
	t.Parallel()
	for _, writes := range []bool{true, false} {
		w, f := newFaultyWorld(t)
		p := w.preview(t, "theme", "dark")
		f.set(func(f *faulty) { f.swap = lose(ledger.Applied, writes) })
		a := w.apply(t, p.ChangeID, p.ConfirmationToken)
		if a.Status != "applied" {
			t.Fatalf("written %v: %s", writes, a.raw)
		}
		if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" {
			t.Errorf("written %v: the undo token that was told is not the one that is kept: %s", writes, u.raw)
		}
	}
}

// The answer is lost and nobody can look: what is there at the next try is recognised as ours.
func TestOutcomeThatLandedUnseenIsRecognised(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			if to != ledger.Applied {
				return write()
			}
			f.set(func(f *faulty) {
				f.get = func(context.Context, func() error) error {
					f.set(func(f *faulty) { f.get = nil })
					return errLost
				}
			})
			return errors.Join(errLost, write())
		}
	})
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || a.UndoToken == "" {
		t.Errorf("%s", a.raw)
	}
}

// The answer is lost, and somebody moves the change before anybody can look: whoever wrote is told that they did.
func TestOutcomeThatLandedUnseenIsRecognisedAfterOthersMovedTheChange(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	other, p := w.connect(t), w.preview(t, "theme", "dark")
	var again reply
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			err := write()
			if to != ledger.Applied || err != nil {
				return err
			}
			f.set(func(f *faulty) { f.swap = nil })
			again = other.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			return errLost
		}
	})
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if a.Status != "applied" || a.Result == nil || a.UndoToken != "" || !strings.Contains(a.NextStep, "make the same apply call again") {
		t.Errorf("whoever wrote: %s", a.raw)
	}
	wantRefused(t, again, "already_used")
	if u := other.call(t, "undo_set_setting", map[string]string{"change_id": p.ChangeID, "undo_token": again.UndoToken}); u.Status != "undone" {
		t.Errorf("the token of the other: %s", u.raw)
	}
}

func TestLedgerThatFailsBeforeTheClaimSpendsNothing(t *testing.T) {
	t.Parallel()
	for code, cause := range map[string]error{
		"ledger_busy": ledger.ErrBusy, "ledger_corrupt": ledger.ErrCorrupt, "ledger_unsupported": ledger.ErrUnsupported,
		"ledger_unavailable": ledger.ErrUnavailable, "internal": errLost,
	} {
		t.Run(code, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t)
			p := w.preview(t, "theme", "dark")
			fail := func() error { return fmt.Errorf("test: %w", cause) }
			f.set(func(f *faulty) { f.swap = func(ledger.Status, func() error) error { return fail() } })
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), code)
			f.set(func(f *faulty) { f.swap, f.get = nil, func(context.Context, func() error) error { return fail() } })
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), code)
			wantRefused(t, w.status(t, p.ChangeID), code)
			f.set(func(f *faulty) { f.get, f.insert = nil, func(func() error) error { return fail() } })
			wantRefused(t, w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"}), code)
			f.set(func(f *faulty) { f.insert = nil })
			if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.writes(t) != 1 {
				t.Errorf("%s", a.raw)
			}
		})
	}
}

func TestClaimThatWaitedPastTheExpiryIsRefused(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		w, f := newFaultyWorld(t, over(t, kind))
		p := w.preview(t, "theme", "dark")
		f.set(func(f *faulty) {
			f.swap = func(to ledger.Status, write func() error) error {
				if to == ledger.Applying {
					w.clock.move(runtime.DefaultTTL) // while the claim waited for its turn
				}
				return write()
			}
		})
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "expired")
		if r := w.record(t, p.ChangeID); r.Status != ledger.Expired || w.writes(t) != 0 {
			t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
		}
	})
}

func TestPreviewWithALostAnswer(t *testing.T) {
	t.Parallel()
	for _, writes := range []bool{true, false} {
		w, f := newFaultyWorld(t)
		f.set(func(f *faulty) {
			f.insert = func(write func() error) error {
				if writes {
					return errors.Join(errLost, write())
				}
				return errLost
			}
		})
		r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
		if !writes {
			wantRefused(t, r, "internal")
			wantSaid(t, r, "Nothing was written", "get_change_status")
			continue
		}
		if a := w.apply(t, r.ChangeID, r.ConfirmationToken); a.Status != "applied" {
			t.Errorf("%s\n%s", r.raw, a.raw)
		}
	}
}

func TestTakenChangeIDIsDrawnAgain(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	var tries atomic.Int32
	f.set(func(f *faulty) {
		f.insert = func(write func() error) error {
			if tries.Add(1) == 1 {
				return fmt.Errorf("test: %w", ledger.ErrExists)
			}
			return write()
		}
	})
	if p := w.preview(t, "theme", "dark"); w.apply(t, p.ChangeID, p.ConfirmationToken).Status != "applied" {
		t.Errorf("%s", p.raw)
	}
}

// A claim that ends between the reading of its change and the look at its holder is no doubt.
func TestClaimThatEndsMeanwhileIsNotInDoubt(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	w, f := newFaultyWorld(t, func(w *world) {
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			close(started)
			<-release
			return apply(ctx, c)
		}
	})
	p := w.preview(t, "theme", "dark")
	first := async(t.Context(), w.client, p)
	wait(t, started, "apply")
	other := w.connect(t)
	f.set(func(f *faulty) {
		f.get = func(_ context.Context, read func() error) error {
			f.set(func(f *faulty) { f.get = nil })
			err := read()
			close(release)
			return errors.Join(err, <-first)
		}
	})
	r := other.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID})
	if r.InDoubt {
		t.Errorf("%s", r.raw)
	}
}

// A body whose time is up is in doubt for everybody, also when that cannot be written.
func TestOverdueBodyIsInDoubtAlthoughTheLedgerFails(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w, f := newFaultyWorld(t, func(w *world) {
		w.operation.Timeout = shortTimeout
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			<-release
			return apply(context.WithoutCancel(ctx), c)
		}
	})
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) {
		claimed := false
		f.swap = func(_ ledger.Status, write func() error) error {
			if claimed {
				return fmt.Errorf("test: %w", ledger.ErrBusy)
			}
			claimed = true
			return write()
		}
	})
	for range 2 {
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	}
	f.set(func(f *faulty) { f.swap = nil })
	close(release)
	w.closes(t)
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applied || w.writes(t) != 1 {
		t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
	}
}

// A body that hangs does not keep its doubt from being recorded.
func TestDoubtAboutAnOverdueBodyIsRecordedWhileItRuns(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	w, f := newFaultyWorld(t, func(w *world) {
		w.operation.Timeout = shortTimeout
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
			<-release
			return nil, errLost
		}
	})
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) { f.swap = refuseAllButTheFirst() })
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	f.set(func(f *faulty) { f.swap = nil })
	closed := make(chan error, 1)
	go func() { closed <- w.guard.Close(context.Background()) }()
	patient, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for s := w.status(t, p.ChangeID); strings.Contains(s.DoubtReason, "could not record"); s = w.status(t, p.ChangeID) {
		if patient.Err() != nil {
			t.Fatal("the doubt is never recorded")
		}
	}
	if r := w.record(t, p.ChangeID); r.DoubtAt.IsZero() {
		t.Errorf("%+v", r.Mutable)
	}
	close(release)
	<-closed
}
