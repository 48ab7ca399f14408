package runtime_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// outage is how long a ledger takes to say that its database cannot be reached.
const outage = 5 * time.Second

// The caller of a body that has ended does not wait until the ledger is back: it is told what is known, and that is recorded
// behind the answer.
func TestCallerIsToldWhileTheLedgerIsAway(t *testing.T) {
	t.Parallel()
	for name, takes := range map[string]time.Duration{"it says so": outage, "it says nothing": patience} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				var f *faults.Store
				w := newWorld(t, listening, func(w *world) {
					f = faults.New(w.store, nil)
					w.options.Store = f
				})
				p, back := w.preview(t, "theme", "dark"), make(chan struct{})
				begun := 0
				f.Set(func(c faults.Call) faults.Fault {
					if c.Method != faults.Swap || c.Event.To != ledger.Applied {
						return faults.Fault{}
					}
					if begun++; begun == 1 {
						return awayFor(takes, back)
					}
					return faults.Before("it is back", func() { <-back })
				})
				told := w.apply(t, p.ChangeID, p.ConfirmationToken)
				wantRefused(t, told, "in_doubt")
				wantSaid(t, told, "The change was written. The ledger could not record that yet", "")
				if s := w.status(t, p.ChangeID); s.Status != "applying" || !s.InDoubt {
					t.Errorf("while it is away: %s", s.raw)
				}
				close(back)
				w.until(t, p.ChangeID, isIn(ledger.Applied))
				if w.writes(t) != 1 {
					t.Errorf("%d bodies ran", w.writes(t))
				}
			})
		})
	}
}

// The commit of a joined body is its outcome on the way to the ledger.
func TestCallerIsToldWhileAJoinedCommitIsNotAnswered(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		to     ledger.Status
		during string // the status until then
		before func(t *testing.T, w *world) (id, token string)
		ask    func(t *testing.T, w *world, id, token string) reply
	}{
		{ledger.Applied, "applying", func(t *testing.T, w *world) (string, string) {
			p := w.preview(t, "theme", "dark")
			return p.ChangeID, p.ConfirmationToken
		}, func(t *testing.T, w *world, id, token string) reply { return w.apply(t, id, token) }},
		{ledger.Undone, "undoing", func(t *testing.T, w *world) (string, string) {
			applied := w.applied(t, "theme", "dark")
			return applied.ChangeID, applied.UndoToken
		}, func(t *testing.T, w *world, id, token string) reply { return w.undo(t, id, token) }},
	} {
		t.Run(test.during, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				var f *faults.Joiner
				w := newWorld(t, listening, joined(t), func(w *world) {
					f = faults.NewJoiner(w.options.Store.(ledger.Joiner), nil)
					w.options.Store = f
				})
				id, token := test.before(t, w)
				back := make(chan struct{})
				f.Set(faults.NthOf(faults.Commit, 1, faults.Before("it is back", func() { <-back })))
				told := test.ask(t, w, id, token)
				wantRefused(t, told, "in_doubt")
				wantSaid(t, told, "the ledger did not answer. The ledger could not record that yet", "")
				close(back)
				w.until(t, id, isIn(test.to))
			})
		})
	}
}

// awayFor answers after so long that the ledger does not answer, or once it is back.
func awayFor(takes time.Duration, back <-chan struct{}) faults.Fault {
	return faults.Fault{Name: "away", Do: func(context.Context, func(context.Context) error) error {
		select {
		case <-time.After(takes):
		case <-back:
		}
		return fmt.Errorf("test: %w", ledger.ErrUnavailable)
	}}
}
