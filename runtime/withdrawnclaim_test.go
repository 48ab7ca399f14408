package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// A ledger that lost sight of a claim has it come to nothing, and says so by the revision. The change is then claimed anew, and
// the first claim, which comes late, is none.
func TestClaimThatTheLedgerWithdrewIsMadeAgain(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		var f *faults.Store
		w := newWorld(t, over(t, kind), func(w *world) {
			f = faults.New(w.store, nil)
			w.options.Store = f
		})
		p := w.preview(t, "theme", "dark")
		var held func()
		lost := faults.Late(faults.ErrLost, func(call func()) {
			held = call
			w.withdraw(t, p.ChangeID)
		})
		f.Set(atFirst(1, func(c faults.Call) bool { return c.Event.To == ledger.Applying }, lost))
		if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
			t.Fatalf("%s", a.raw)
		}
		before := w.record(t, p.ChangeID)
		held()
		if after := w.record(t, p.ChangeID); after.Revision != before.Revision || w.writes(t) != 1 {
			t.Errorf("the claim that came late moved it from revision %d to %d; %d bodies ran", before.Revision, after.Revision, w.writes(t))
		}
	})
}

// withdraw moves a change on as a ledger does.
func (w *world) withdraw(t *testing.T, id string) {
	t.Helper()
	r := w.record(t, id)
	e := ledger.Event{Actor: "ledger", From: r.Status, To: r.Status, Code: ledger.CodeWithdrawn, Reason: "nobody answered for a write"}
	if err := w.store.Swap(context.WithoutCancel(t.Context()), r, time.Time{}, e); err != nil {
		t.Error(err)
	}
}
