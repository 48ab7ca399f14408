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

// runsOn makes a world whose applies run on after their time, until release is closed, and then return that error.
func runsOn(t *testing.T, last error, changes ...func(*world)) (w *world, release chan struct{}) {
	t.Helper()
	release = make(chan struct{})
	return newWorld(t, append([]func(*world){func(w *world) {
		w.operation.Timeout = shortTimeout
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			<-release
			if last != nil {
				return nil, last
			}
			return apply(context.WithoutCancel(ctx), c)
		}
	}}, changes...)...), release
}

// A person's word stands, and what the body says after it is told to whoever reads the history or the log.
func TestOutcomeAfterAPersonsWordIsInTheHistoryAndTheLog(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		last error
		want string
	}{
		"success": {nil, "The change was written."},
		"proof":   {runtime.NotApplied(errors.New("refused")), "Nothing was written."},
		"doubt":   {errCut, "Nobody knows whether the change was written: its apply ended without an answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, release := runsOn(t, test.last)
			p := w.doubted(t, "theme", "dark")
			o := operatorOf(t, w.store)
			settled, err := o.Reconcile(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectNone), runtime.NotDone, "nothing there")
			if err != nil || settled.Status != ledger.ApplyFailed {
				t.Fatalf("%s, %v", settled.Status, err)
			}
			close(release)
			w.closes(t) // waits for the body
			if r := w.record(t, p.ChangeID); r.Status != ledger.ApplyFailed || r.Finding.By == "" {
				t.Errorf("the word does not stand: %+v", r.Mutable)
			}
			e := lastEvent(t, w, p.ChangeID)
			if e.Code != "late_outcome" || e.From != e.To || e.Actor != "guard" || !strings.Contains(e.Reason, test.want) {
				t.Errorf("event: %+v", e)
			}
			if text := w.log.String(); !strings.Contains(text, "outcome came late") || !strings.Contains(text, test.want) {
				t.Errorf("log: %s", text)
			}
		})
	}
}

// A ledger that does not take it at first has it in the end.
func TestOutcomeAfterAPersonsWordIsOwedUntilTheLedgerTakesIt(t *testing.T) {
	t.Parallel()
	var f *faulty
	w, release := runsOn(t, nil, func(w *world) {
		f = newFaulty(w.store)
		w.options.Store = f
	})
	p := w.doubted(t, "theme", "dark")
	if _, err := settle(t.Context(), operatorOf(t, w.store), p.ChangeID, runtime.NotDone, "nothing there"); err != nil {
		t.Fatal(err)
	}
	var tries atomic.Int32
	f.set(func(f *faulty) {
		f.swap = func(_ ledger.Status, write func() error) error {
			if tries.Add(1) <= 7 { // more than are made before the caller is told
				return fmt.Errorf("disk full: %w", ledger.ErrBusy)
			}
			return write()
		}
	})
	close(release)
	w.closes(t)
	if e := lastEvent(t, w, p.ChangeID); e.Code != "late_outcome" {
		t.Errorf("event: %+v", e)
	}
}

// Whoever is to settle a change has to know whether its body may still write.
func TestDoubtSaysThatTheBodyStillRunsUntilItReturns(t *testing.T) {
	t.Parallel()
	w, release := runsOn(t, errCut)
	p := w.doubted(t, "theme", "dark")
	const running = "It was still running then"
	o := operatorOf(t, w.store)
	if v := view(t, o, p.ChangeID); !strings.Contains(v.DoubtReason, running) || !strings.Contains(v.DoubtReason, "wait") {
		t.Errorf("while it runs, operators read: %s", v.DoubtReason)
	}
	if s := w.status(t, p.ChangeID); !strings.Contains(s.DoubtReason, running) {
		t.Errorf("while it runs, the agent reads: %s", s.raw)
	}
	since := w.record(t, p.ChangeID).DoubtAt
	close(release)
	w.closes(t)
	if v := view(t, o, p.ChangeID); strings.Contains(v.DoubtReason, running) || !strings.Contains(v.DoubtReason, "ended without an answer") || !v.DoubtAt.Equal(since) {
		t.Errorf("after its end: %s, since %s", v.DoubtReason, v.DoubtAt)
	}
}
