package runtime_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// spoiling is a ledger in which the read of one change goes wrong.
type spoiling struct {
	ledger.Store
	id   atomic.Pointer[string]
	fail func() error
}

func (s *spoiling) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	if spoilt := s.id.Load(); spoilt != nil && *spoilt == id {
		return ledger.Record{}, ledger.Clock{}, s.fail()
	}
	return s.Store.Get(ctx, id)
}

// How many retries there were is not known while one of them cannot be read: there is no further one, and what is proved of
// the failure stays proved.
func TestRetriesThatCannotBeCountedComeToAnEnd(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fail   func() error
		offers bool
	}{
		"failing": {func() error { return fmt.Errorf("test: %w", ledger.ErrUnavailable) }, false},
		"panic":   {func() error { panic("test") }, false},
		"pruned":  {func() error { return ledger.ErrNotFound }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spoiling{fail: test.fail}
			w := newWorld(t, func(w *world) {
				s.Store = w.store
				w.options.Store = s
				w.operation.Retry = true
				w.operation.Apply = func(context.Context, *setChange) (*setResult, error) {
					return nil, runtime.NotApplied(errRefusedConnection)
				}
			})
			p, first := w.failed(t)
			s.id.Store(&p.ChangeID)
			r := w.apply(t, first.Retry.ChangeID, first.Retry.ConfirmationToken)
			wantRefused(t, r, "apply_failed")
			if stored := w.record(t, first.Retry.ChangeID); stored.Outcome != "not_applied" || (stored.RetryID != "") != test.offers {
				t.Errorf("%s: %+v", r.raw, stored.Mutable)
			}
		})
	}
}
