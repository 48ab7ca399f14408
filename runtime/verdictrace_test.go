package runtime_test

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Two people with the same name say the same of one doubt at the same moment. Only one of them is told that it was them,
// although the ledger loses its answer to the other.
func TestVerdictOfAnotherIsNotTakenForOnesOwn(t *testing.T) {
	t.Parallel()
	for _, status := range []ledger.Status{ledger.Applying, ledger.Undoing} {
		for _, verdict := range []runtime.Verdict{runtime.Done, runtime.NotDone} {
			t.Run(string(status)+" "+verdict.String(), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				id := insertWaiting(t, w, "chg_00000000000000000001", func(r *ledger.Record) {
					r.Status, r.ClaimID, r.UndoTTL = status, "claim", 0
				})
				shown := view(t, operatorOf(t, w.store), id).Seen
				settle := func(store ledger.Store) error {
					_, err := operatorOf(t, store).Reconcile(t.Context(), shown, verdict, "the row says so")
					return err
				}
				lost := errors.New("the connection was lost")
				behind := newFaulty(w.store)
				behind.swap = func(_ ledger.Status, write func() error) error {
					if err := settle(w.store); err != nil {
						t.Errorf("the first: %v", err)
					}
					_ = write() // it comes too late, and nobody is told
					return lost
				}
				if err := settle(behind); !errors.Is(err, runtime.ErrNotInDoubt) {
					t.Errorf("the second is told: %v", err)
				}
			})
		}
	}
}
