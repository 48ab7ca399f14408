package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The expiry is judged by the ledger's clock inside the write. Where that runs behind what this process knows, so does the
// expiry that it is given: a claim that waits past it is refused although the ledger's clock is short of it.
func TestClaimThatWaitedPastTheExpiryIsRefusedByAClockThatRunsBehind(t *testing.T) {
	t.Parallel()
	const behind, late = 20 * time.Second, 5 * time.Second
	for name, test := range map[string]struct {
		waited time.Duration
		want   string
	}{
		"past it":     {runtime.DefaultTTL + late, "expired"},
		"short of it": {runtime.DefaultTTL - behind, "applied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t)
			p := w.preview(t, "theme", "dark")
			w.clock.move(-behind)
			f.set(func(f *faulty) {
				f.swap = func(to ledger.Status, write func() error) error {
					if to == ledger.Applying {
						w.clock.move(test.waited) // while the claim waits for its turn
					}
					return write()
				}
			})
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			if got := a.Status + a.Code; got != test.want && got != "refused"+test.want {
				t.Errorf("%s", a.raw)
			}
			if ran := w.writes(t) == 1; ran != (test.want == "applied") {
				t.Errorf("%d bodies ran", w.writes(t))
			}
		})
	}
}

// leavingStore holds the last look before a claim until its caller has left, and counts the claims that follow.
type leavingStore struct {
	ledger.Store
	armed   atomic.Bool
	looking chan struct{}
	claims  atomic.Int32
}

func (s *leavingStore) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	found, err := s.Store.List(ctx, q)
	if q.PayloadHash != "" && s.armed.CompareAndSwap(true, false) { // it looks for a no to the same change
		close(s.looking)
		<-ctx.Done() // the server has seen that the caller is gone
	}
	return found, err
}

func (s *leavingStore) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	s.claims.Add(1)
	return s.Store.Swap(ctx, r, notAfter, e, caps...)
}

// A caller who is known to have left claims nothing, whatever a ledger makes of a context that is over.
func TestCallerThatLeavesAfterTheLooksBeforeTheClaimClaimsNothing(t *testing.T) {
	t.Parallel()
	s := &leavingStore{looking: make(chan struct{})}
	w := newWorld(t, func(w *world) {
		s.Store = w.store
		w.options.Store = s
	})
	p := w.preview(t, "theme", "dark")
	s.armed.Store(true)
	ctx, leave := context.WithCancel(t.Context())
	done := async(ctx, w.client, p)
	wait(t, s.looking, "the last look before the claim")
	leave()
	<-done
	if err := w.guard.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := s.claims.Load(); n != 0 || w.writes(t) != 0 || w.record(t, p.ChangeID).Status != ledger.Pending {
		t.Errorf("%d claims were given to the ledger, %d bodies ran", n, w.writes(t))
	}
}
