package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// refuseOutcomes lets claims through and nothing else.
func refuseOutcomes(to ledger.Status, write func() error) error {
	if to == ledger.Applying || to == ledger.Undoing {
		return write()
	}
	return fmt.Errorf("disk full: %w", ledger.ErrBusy)
}

// refuseAllButTheFirst lets one claim through, and not the marking of a doubt, which has the status of the claim.
func refuseAllButTheFirst() func(ledger.Status, func() error) error {
	var claimed atomic.Bool
	return func(_ ledger.Status, write func() error) error {
		if claimed.Swap(true) {
			return fmt.Errorf("disk full: %w", ledger.ErrBusy)
		}
		return write()
	}
}

// An outcome that the ledger does not take is told, known to everybody who asks, and recorded when the ledger can.
func TestOutcomeThatCannotBeWrittenIsToldAndRecordedLater(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		undo  bool
		err   error
		known string
		later ledger.Status
	}{
		"apply wrote":          {false, nil, "The change was written.", ledger.Applied},
		"apply wrote nothing":  {false, runtime.NotApplied(errors.New("refused")), "Nothing was written.", ledger.ApplyFailed},
		"apply may have":       {false, errors.New("failed"), "nobody knows whether it wrote", ledger.ApplyFailed},
		"undo wrote":           {true, nil, "The change was taken back.", ledger.Undone},
		"undo wrote nothing":   {true, runtime.NotApplied(errors.New("refused")), "the change is still applied", ledger.Applied},
		"undo may have":        {true, errors.New("failed"), "nobody knows whether it took the change back", ledger.UndoFailed},
		"undo is in doubt":     {true, runtime.InDoubt(errors.New("cut off")), "The change was applied, and nobody knows whether it was taken back", ledger.Undoing},
		"apply is in doubt":    {false, runtime.InDoubt(errors.New("cut off")), "Nobody knows whether the change was written", ledger.Applying},
		"the undo had nothing": {true, errNotRun, "the undo wrote nothing", ledger.Undone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, func(w *world) { failing(w, test.undo, test.err) })
			p := w.preview(t, "theme", "dark")
			ask := func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
			if test.undo {
				a := ask()
				ask = func() reply { return w.undo(t, a.ChangeID, a.UndoToken) }
			}
			if errors.Is(test.err, errNotRun) {
				f.set(func(f *faulty) {
					f.swap = func(to ledger.Status, write func() error) error {
						w.edit(t, "theme", "light") // between the claim and the look after it
						f.set(func(f *faulty) { f.swap = refuseOutcomes })
						return write()
					}
				})
			} else {
				f.set(func(f *faulty) { f.swap = refuseAllButTheFirst() })
			}
			for _, r := range []reply{ask(), ask()} {
				wantRefused(t, r, "in_doubt")
				wantSaid(t, r, test.known, "it may have been written")
				wantSaid(t, r, "could not record that yet", "")
				wantSaid(t, r, "Ask get_change_status", "")
			}
			s := w.status(t, p.ChangeID)
			wantSaid(t, s, test.known, "it may have been written")
			if !s.InDoubt || !strings.Contains(s.DoubtReason, test.known) {
				t.Errorf("status: %s", s.raw)
			}
			f.set(func(f *faulty) { f.swap = nil })
			w.closes(t) // waits for what is not recorded
			if r := w.record(t, p.ChangeID); r.Status != test.later || r.DoubtAt.IsZero() == open(r.Status) {
				t.Errorf("in the end: %+v", r.Mutable)
			}
		})
	}
}

func open(s ledger.Status) bool { return s == ledger.Applying || s == ledger.Undoing }

// errNotRun is what no body returns: the body is not to be run.
var errNotRun = errors.New("the body ran")

// failing makes one of the bodies end with an error.
func failing(w *world, undo bool, err error) {
	switch {
	case err == nil:
	case undo:
		w.operation.Undo = func(context.Context, *setApplied) error { return err }
	default:
		w.operation.Apply = func(context.Context, *setChange) (*setResult, error) { return nil, err }
	}
}

// The token that was spent still shows the result of an outcome that was recorded late.
func TestOutcomeRecordedLateKeepsItsResult(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) { f.swap = refuseOutcomes })
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	f.set(func(f *faulty) { f.swap = nil })
	w.restart(t)
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "already_used")
	if string(r.Result) != `{"version":2}` || w.writes(t) != 1 {
		t.Errorf("%s, %d bodies ran", r.raw, w.writes(t))
	}
}

// Another guard cannot know what this one told its caller. Its holder is there, so from there the change is in flight.
func TestOutcomeThatIsNotRecordedIsInFlightForOthers(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	other := newWorld(t, func(o *world) { o.options.Store = w.store })
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) { f.swap = refuseOutcomes })
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	wantRefused(t, other.apply(t, p.ChangeID, p.ConfirmationToken), "in_flight")
	f.set(func(f *faulty) { f.swap = nil })
	w.closes(t)
	if s := other.status(t, p.ChangeID); s.Status != "applied" || other.writes(t) != 0 {
		t.Errorf("once it is recorded: %s", s.raw)
	}
}

func TestOutcomeThatLandedUnseenIsNotWrittenTwice(t *testing.T) {
	t.Parallel()
	sink := &events{}
	w, f := newFaultyWorld(t, withSink(sink))
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) {
		f.swap = func(to ledger.Status, write func() error) error {
			if open(to) {
				return write()
			}
			f.set(func(f *faulty) { f.get = func(context.Context, func() error) error { return errLost } })
			return errors.Join(errLost, write())
		}
	})
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	f.set(func(f *faulty) { f.swap, f.get = nil, nil })
	told := 0
	for _, e := range sink.told(t, w) {
		if e.From == ledger.Applying && e.To == ledger.Applied {
			told++
		}
	}
	if told != 1 {
		t.Errorf("the sink was told of it %d times", told)
	}
	if events, err := w.store.Events(t.Context(), p.ChangeID); err != nil || len(events) != 3 {
		t.Errorf("%d events: %v", len(events), err)
	}
	if log := w.log.String(); strings.Contains(log, "after the change was settled") {
		t.Errorf("its own outcome was taken for another's:\n%s", log)
	}
}

// A doubt that landed unseen may be settled before that is noticed: nothing is in doubt any more then.
func TestDoubtThatWasSettledMeanwhileIsNotToldAsOne(t *testing.T) {
	t.Parallel()
	for name, undo := range map[string]bool{"apply": false, "undo": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, func(w *world) { failing(w, undo, errCut) })
			p := w.preview(t, "theme", "dark")
			ask := func() reply { return w.apply(t, p.ChangeID, p.ConfirmationToken) }
			if undo {
				a := ask()
				ask = func() reply { return w.undo(t, a.ChangeID, a.UndoToken) }
			}
			o := operatorOf(t, w.store)
			var swaps atomic.Int32
			f.set(func(f *faulty) {
				f.swap = func(_ ledger.Status, write func() error) error {
					if err := write(); swaps.Add(1) != 2 || err != nil { // the claim comes first, and then the doubt
						return err
					}
					_, err := settle(context.Background(), o, p.ChangeID, runtime.NotDone, "looked")
					var looks atomic.Int32
					f.set(func(f *faulty) {
						f.get = func(_ context.Context, read func() error) error {
							if looks.Add(1) == 1 {
								return errLost
							}
							return read()
						}
					})
					return errors.Join(errLost, err)
				}
			})
			r := ask()
			wantRefused(t, r, "already_used")
			if undo {
				wantSaid(t, r, "An undo is tried once", "")
			}
		})
	}
}

// Trying ends with the grace of Close, so that a ledger that never comes back does not keep the guard for ever.
func TestTryingToRecordAnOutcomeEndsWithTheGraceOfClose(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t, func(w *world) { w.options.ShutdownGrace = shortTimeout })
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) { f.swap = refuseOutcomes })
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_doubt")
	if err := w.guard.Close(t.Context()); err == nil || !strings.Contains(err.Error(), "1 change") {
		t.Errorf("close with an outcome that is not recorded: %v", err)
	}
	w.closes(t) // once the last try has ended
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applying || !strings.Contains(w.log.String(), "never recorded") {
		t.Errorf("%s\n%s", r.Status, w.log)
	}
}
