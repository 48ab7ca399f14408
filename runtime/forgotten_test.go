package runtime_test

import (
	"context"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A panic of our own while an outcome is recorded costs the answer, and no more: the outcome is recorded after that.
func TestOutcomeIsRecordedAfterAPanicOfOurOwn(t *testing.T) {
	t.Parallel()
	var f *faulty
	w := newWorld(t, listening, func(w *world) {
		f = newFaulty(w.store)
		w.options.Store = f
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			f.set(func(f *faulty) {
				f.get = func(context.Context, func() error) error {
					f.set(func(f *faulty) { f.get = nil })
					panic("hunter2")
				}
			})
			return apply(ctx, c)
		}
	})
	p := w.preview(t, "theme", "dark")
	w.apply(t, p.ChangeID, p.ConfirmationToken)
	if r := w.until(t, p.ChangeID, isIn(ledger.Applied)); r.Result == nil || w.writes(t) != 1 {
		t.Errorf("%+v, %d bodies ran", r.Mutable, w.writes(t))
	}
}

// What a guard that lives has forgotten is in doubt as soon as anybody asks, and a person may settle it.
func TestForgottenClaimIsSettledByAnOperator(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*world){
		"where a look tells": func(*world) {},
		"where nothing is seen": func(w *world) {
			w.operation.Observe, w.operation.Summary, w.operation.Diff = nil, nil, nil
			w.operation.Apply = func(context.Context, *setChange) (*setResult, error) { return &setResult{Version: 2}, nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T) {
				w := newWorld(t, change)
				p := w.preview(t, "theme", "dark")
				r := w.record(t, p.ChangeID)
				r.Status, r.ClaimID, r.Holder = ledger.Applying, "forgotten", holderOf(t, w)
				if err := w.store.Swap(t.Context(), r, r.ExpiresAt, ledger.Event{Actor: "agent", From: ledger.Pending, To: ledger.Applying}); err != nil {
					t.Fatal(err)
				}
				if s := w.status(t, p.ChangeID); !s.InDoubt {
					t.Fatalf("%s", s.raw)
				}
				v, err := settle(t.Context(), operatorOf(t, w.store), p.ChangeID, runtime.NotDone, "no such row")
				if err != nil || v.Status != ledger.ApplyFailed {
					t.Errorf("%v: %s", err, v.Status)
				}
			})
		})
	}
}

// holderOf is the name under which the guard of a world claims.
func holderOf(t *testing.T, w *world) string {
	t.Helper()
	a := w.applied(t, "language", "de")
	return w.record(t, a.ChangeID).Holder
}
