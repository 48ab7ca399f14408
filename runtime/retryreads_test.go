package runtime_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// How many retries there were is not known while one of them cannot be read: there is no further one, and what is proved of
// the failure stays proved.
func TestRetriesThatCannotBeCountedComeToAnEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  faults.Fault
		offers bool
	}{
		"failing": {faults.Refuse(fmt.Errorf("test: %w", ledger.ErrUnavailable)), false},
		"panic":   {faults.Panic("test", false), false},
		"pruned":  {faults.Refuse(ledger.ErrNotFound), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, f := newFailingWorld(t, func(w *world) {
				w.operation.Retry = true
				w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
					return nil, runtime.NotApplied(errRefusedConnection)
				}
			})
			p, first := w.failed(t)
			f.Set(func(c faults.Call) faults.Fault {
				if c.Method == faults.Get && c.Change == p.ChangeID {
					return test.fault
				}
				return faults.Fault{}
			})
			r := w.apply(t, first.Retry.ChangeID, first.Retry.ConfirmationToken)
			wantRefused(t, r, "apply_failed")
			if stored := w.record(t, first.Retry.ChangeID); stored.Outcome != "not_applied" || (stored.RetryID != "") != test.offers {
				t.Errorf("%s: %+v", r.raw, stored.Mutable)
			}
		})
	}
}
