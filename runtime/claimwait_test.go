package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// The expiry is judged by the ledger's clock inside the write. Where that runs behind what this process knows, so does the
// expiry that it is given: a claim that waits past it is refused although the ledger's clock is short of it.
func TestClaimThatWaitedPastTheExpiryIsRefusedByAClockThatRunsBehind(t *testing.T) {
	t.Parallel()
	const behind, late = 10 * time.Minute, time.Minute // far more than the test takes
	for name, test := range map[string]struct {
		waited time.Duration
		want   string
	}{
		"past it":     {runtime.DefaultTTL + late, "expired"},
		"short of it": {runtime.DefaultTTL - behind, "applied"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t, func(w *world) { w.options.MaxClockSkew = time.Hour })
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

// A caller who is known to have left claims nothing, whatever a ledger makes of a context that is over.
func TestCallerThatLeavesAfterTheLooksBeforeTheClaimClaimsNothing(t *testing.T) {
	t.Parallel()
	w, f := newFailingWorld(t)
	p := w.preview(t, "theme", "dark")
	looking, claims := make(chan struct{}), 0
	f.Set(func(c faults.Call) faults.Fault {
		switch {
		case c.Method == faults.Swap:
			claims++
		case c.Query.PayloadHash != "": // it looks for a no to the same change
			return faults.Fault{Name: "the caller leaves", Do: func(ctx context.Context, call func(context.Context) error) error {
				err := call(ctx)
				close(looking)
				<-ctx.Done() // the server has seen that the caller is gone
				return err
			}}
		}
		return faults.Fault{}
	})
	ctx, leave := context.WithCancel(t.Context())
	done := async(ctx, w.client, p)
	wait(t, looking, "the last look before the claim")
	leave()
	<-done
	w.closes(t)
	f.Set(nil)
	if claims != 0 || w.writes(t) != 0 || w.record(t, p.ChangeID).Status != ledger.Pending {
		t.Errorf("%d claims were given to the ledger, %d bodies ran", claims, w.writes(t))
	}
}
