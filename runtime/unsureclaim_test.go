package runtime_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The answer of a claim is lost, and the look for it fails as well, with an error that by itself would mean that nothing
// was done. Here it means nothing: the caller is not told to try again, but to ask.
func TestClaimThatNobodyCanConfirmIsNotToldAsOneThatWasNotMade(t *testing.T) {
	t.Parallel()
	for cause, code := range map[error]string{
		ledger.ErrBusy: "internal", ledger.ErrCorrupt: "internal", ledger.ErrUnsupported: "internal", ledger.ErrNotFound: "internal",
		fmt.Errorf("%w: %w", ledger.ErrUnavailable, ledger.ErrCorrupt): "ledger_unavailable",
	} {
		t.Run(cause.Error(), func(t *testing.T) {
			t.Parallel()
			w, f := newFaultyWorld(t)
			p := w.preview(t, "theme", "dark")
			f.set(func(f *faulty) {
				f.swap = func(_ ledger.Status, write func() error) error {
					f.set(func(f *faulty) {
						f.get = func(context.Context, func() error) error { return fmt.Errorf("test: %w", cause) }
					})
					return errors.Join(errLost, write())
				}
			})
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			f.set(func(f *faulty) { f.swap, f.get = nil, nil })
			wantRefused(t, r, code)
			wantSaid(t, r, "othing was written to the target", "Nothing was spent")
			if code == "internal" {
				wantSaid(t, r, "get_change_status", "")
			}
		})
	}
}
