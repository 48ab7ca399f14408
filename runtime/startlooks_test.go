package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// becomes waits until a change has come to a status.
func (w *world) becomes(t *testing.T, id string, want ledger.Status) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for r := w.record(t, id); r.Status != want; r = w.record(t, id) {
		if time.Now().After(deadline) {
			t.Fatalf("%s is %s, want %s", id, r.Status, want)
		}
	}
}

// A server looks at what its earlier process left in doubt, settles what is done, and runs nothing.
func TestStartLooksAtWhatWasLeftInDoubt(t *testing.T) {
	t.Parallel()
	w := cutOff(t, true)
	var ids []string
	for n := range 10 {
		p := w.preview(t, "theme", fmt.Sprint("dark ", n))
		w.apply(t, p.ChangeID, p.ConfirmationToken)
		ids = append(ids, p.ChangeID)
	}
	last := ids[len(ids)-1] // the state is as this one left it
	w.restart(t)
	w.becomes(t, last, ledger.Applied)
	w.closes(t)
	for _, id := range ids[:len(ids)-1] {
		if r := w.record(t, id); r.Status != ledger.Applying {
			t.Errorf("%s is %s", id, r.Status)
		}
	}
	if w.writes(t) != len(ids) {
		t.Errorf("%d bodies ran", w.writes(t))
	}
}

// A claim whose holder nobody knows may be carried out right now: the look is written down and settles nothing.
func TestClaimOfAnUnknownHolderIsNotSettledByALook(t *testing.T) {
	t.Parallel()
	w := cutOff(t, true)
	p := w.preview(t, "theme", "dark")
	r := w.record(t, p.ChangeID)
	r.Status, r.ClaimID, r.Holder = ledger.Applying, "a claim", "nobody knows whom"
	if err := w.store.Swap(t.Context(), r, time.Time{}, ledger.Event{Actor: "agent", From: ledger.Pending, To: ledger.Applying}); err != nil {
		t.Fatal(err)
	}
	w.edit(t, "theme", "dark")
	w.restart(t)
	if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Done || err != nil {
		t.Errorf("verdict: %v, %v", v, err)
	}
	if s := w.status(t, p.ChangeID); s.Status != "applying" || !strings.Contains(s.DoubtReason, "done (as_asked). Whoever carries it out may still be at work") {
		t.Errorf("%s", s.raw)
	}
}

// Neither serving nor closing waits for a look that hangs: a look writes nothing.
func TestRegisterAndCloseDoNotWaitForLooks(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		looking, release := make(chan struct{}), make(chan struct{})
		defer close(release)
		w := cutOff(t, true)
		p := w.doubted(t, "theme", "dark")
		w.options.ShutdownGrace = patience
		w.operation.DoneWhen, w.operation.Reconcile = nil, func(context.Context, *setDoubtful) (runtime.Verdict, error) {
			close(looking)
			<-release
			return runtime.Done, nil
		}
		w.restart(t)
		wait(t, looking, "the look at the start")
		w.preview(t, "language", "de")
		before := w.record(t, p.ChangeID)
		if err := w.guard.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r := w.record(t, p.ChangeID); r.Revision != before.Revision {
			t.Errorf("a look that was cut off wrote down %q", r.Finding.Saw)
		}
		if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Unsure || err == nil {
			t.Errorf("looked after Close: %v, %v", v, err)
		}
	})
}

// A hook that heeds its context hears of Close.
func TestCloseEndsTheContextOfALook(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		looking, ended := make(chan struct{}), make(chan struct{})
		w := cutOff(t, true)
		w.doubted(t, "theme", "dark")
		w.operation.DoneWhen, w.operation.Reconcile = nil, func(ctx context.Context, _ *setDoubtful) (runtime.Verdict, error) {
			close(looking)
			<-ctx.Done()
			close(ended)
			return runtime.Unsure, ctx.Err()
		}
		w.restart(t)
		wait(t, looking, "the look at the start")
		if err := w.guard.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		wait(t, ended, "the end of the look")
	})
}

// A look that does not return in time tells nothing, and keeps nobody.
func TestLookThatHangsEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		release := make(chan struct{})
		w := cutOff(t, true)
		p := w.doubted(t, "theme", "dark")
		w.options.Timeout = shortTimeout
		w.operation.DoneWhen, w.operation.Reconcile = nil, func(context.Context, *setDoubtful) (runtime.Verdict, error) {
			<-release
			return runtime.Done, nil
		}
		w.restart(t)
		if v, err := w.guard.Reconcile(t.Context(), p.ChangeID); v != runtime.Unsure || err == nil {
			t.Errorf("verdict: %v, %v", v, err)
		}
		if err := w.guard.Close(t.Context()); err != nil {
			t.Error(err)
		}
		close(release)
		if r := w.record(t, p.ChangeID); r.Status != ledger.Applying {
			t.Errorf("what came late counted: %s", r.Status)
		}
	})
}
