package runtime_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// wantSaid checks that both halves of an answer say something, and leave something else out.
func wantSaid(t *testing.T, r reply, says, never string) {
	t.Helper()
	structured := strings.Join([]string{r.Message, r.Hint, r.DoubtReason, r.NextStep}, " ")
	for half, text := range map[string]string{"structured": structured, "text": r.text} {
		if !strings.Contains(text, says) || never != "" && strings.Contains(text, never) {
			t.Errorf("the %s half should say %q, and not %q:\n%s", half, says, never, text)
		}
	}
}

// undoing is a world whose undo ends with an error.
func undoing(t *testing.T, err error) *world {
	t.Helper()
	return newWorld(t, func(w *world) { failing(w, true, err) })
}

// Whoever is told of an undo must not take the change for one that was not applied.
func TestUndoInDoubtSaysThatTheChangeWasApplied(t *testing.T) {
	t.Parallel()
	const applied, redo = "The change was applied", "whether the change was written"
	w := undoing(t, runtime.InDoubt(errors.New("cut off")))
	a := w.applied(t, "theme", "dark")
	for range 2 {
		r := w.undo(t, a.ChangeID, a.UndoToken)
		wantRefused(t, r, "in_doubt")
		wantSaid(t, r, applied, redo)
		wantSaid(t, r, "nor one that takes it back", "it may have been written")
	}
	wantSaid(t, w.status(t, a.ChangeID), applied, redo)
	wantSaid(t, w.status(t, a.ChangeID), "nor one that takes it back", "")
}

func TestFailedUndoSaysThatTheChangeWasApplied(t *testing.T) {
	t.Parallel()
	const says, never = "whether it was taken back is not known", "Whether it was written"
	w := undoing(t, errors.New("failed"))
	a := w.applied(t, "theme", "dark")
	for _, code := range []string{"undo_failed", "already_used"} {
		r := w.undo(t, a.ChangeID, a.UndoToken)
		wantRefused(t, r, code)
		wantSaid(t, r, says, never)
	}
	wantSaid(t, w.status(t, a.ChangeID), says, never)
}

func TestUndoThatWroteNothingSaysUntilWhenItWorks(t *testing.T) {
	t.Parallel()
	for name, err := range map[string]error{
		"proof":    runtime.NotApplied(errors.New("refused")),
		"conflict": runtime.Conflict("the row has moved"),
		"refusal":  runtime.NotApplied(runtime.Refuse("ask an administrator")),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := undoing(t, err)
			a := w.applied(t, "theme", "dark")
			r := w.undo(t, a.ChangeID, a.UndoToken)
			wantSaid(t, r, "stays applied", "")
			wantSaid(t, r, "works until "+a.UndoExpiresAt, "")
		})
	}
}

func TestUndoAfterALaterEditSaysUntilWhenItWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.applied(t, "theme", "dark")
	w.edit(t, "theme", "blue")
	wantSaid(t, w.undo(t, a.ChangeID, a.UndoToken), "works until "+a.UndoExpiresAt, "")
}

func TestUndoWithoutAnEndWorksAtAnyTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.options.UndoTTL = runtime.Never
		failing(w, true, runtime.Conflict("the row has moved"))
	})
	a := w.applied(t, "theme", "dark")
	wantSaid(t, w.undo(t, a.ChangeID, a.UndoToken), "works at any time", "until")
}

func TestUndoClaimThatWaitedPastItsEndStaysApplied(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	a := w.applied(t, "theme", "dark")
	f.set(func(f *faulty) {
		f.swap = func(_ ledger.Status, write func() error) error {
			w.clock.move(runtime.DefaultUndoTTL) // while the claim waited for its turn
			return write()
		}
	})
	r := w.undo(t, a.ChangeID, a.UndoToken)
	wantRefused(t, r, "expired")
	wantSaid(t, r, "until "+a.UndoExpiresAt+"; it stays applied", "Preview the change again")
	if r.ChangeStatus != "applied" {
		t.Errorf("%s", r.raw)
	}
}

func TestUndoInFlightSaysThatTheChangeWasApplied(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) {
		w.operation.Undo = func(context.Context, *setApplied) error {
			close(started)
			<-release
			return nil
		}
	})
	a := w.applied(t, "theme", "dark")
	done := make(chan error, 1)
	go func() {
		_, err := w.try(t.Context(), "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
		done <- err
	}()
	wait(t, started, "undo")
	other := w.connect(t)
	r := other.call(t, "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
	wantRefused(t, r, "in_flight")
	wantSaid(t, r, "nor one that takes it back", "it may have been written")
	wantSaid(t, other.call(t, "get_change_status", map[string]string{"change_id": a.ChangeID}), "nor one that takes it back", "")
	close(release)
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("the undo did not end")
	}
}

func TestExpiredClaimSaysWhen(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	f.set(func(f *faulty) {
		f.swap = func(_ ledger.Status, write func() error) error {
			w.clock.move(runtime.DefaultTTL)
			return write()
		}
	})
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantSaid(t, r, p.ExpiresAt, "")
	if r.ChangeStatus != "expired" {
		t.Errorf("%s", r.raw)
	}
}
