package runtime_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Whoever saw a change half a second before its expiry gives it no yes when that has passed, although the ledger's clock,
// which is not so far behind that nothing is to be decided, was set back meanwhile.
func TestClockThatIsSetBackGivesNoLateYes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const left, back = 500 * time.Millisecond, 50 * time.Second
		clock := &fakeClock{}
		store := openLedger(t, t.TempDir(), clock)
		r := waitingChange(clock.read(), "chg_00000000000000000001", func(*ledger.Record) {})
		if err := store.Insert(t.Context(), r, ledger.Event{Actor: "agent", To: r.Status}); err != nil {
			t.Fatal(err)
		}
		o := operatorOf(t, store)
		clock.move(time.Until(r.ExpiresAt) - left)
		seen := view(t, o, r.ID).Seen
		clock.move(-back)
		time.Sleep(left) // of the bubble, which waits for nothing
		if _, err := o.Approve(t.Context(), seen, ""); !errors.Is(err, runtime.ErrTooLate) {
			t.Errorf("at the expiry: %v", err)
		}
	})
}
