package runtime_test

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const callers = 50

func TestConcurrentAppliesOfOneTokenRunOneBody(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		w := newWorld(t, over(t, kind))
		other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation }) // a second guard
		p := w.preview(t, "theme", "dark")
		var applied atomic.Int32
		var all sync.WaitGroup
		start := make(chan struct{})
		for i := range callers {
			c := w.connect(t)
			if i%2 == 0 {
				c = other.connect(t)
			}
			all.Go(func() {
				<-start
				r := c.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
				switch {
				case r.Status == "applied":
					applied.Add(1)
				case r.Code != "already_used" && r.Code != "in_flight":
					t.Errorf("%s", r.raw)
				}
			})
		}
		close(start)
		all.Wait()
		if applied.Load() != 1 || w.writes(t) != 1 || w.record(t, p.ChangeID).Status != ledger.Applied {
			t.Errorf("%d calls were told applied, %d bodies ran", applied.Load(), w.writes(t))
		}
	})
}

func TestConcurrentUndosOfOneTokenRunOneBody(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		w := newWorld(t, over(t, kind))
		a := w.applied(t, "theme", "dark")
		var undone atomic.Int32
		var all sync.WaitGroup
		start := make(chan struct{})
		for range callers {
			c := w.connect(t)
			all.Go(func() {
				<-start
				r := c.call(t, "undo_set_setting", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
				switch {
				case r.Status == "undone":
					undone.Add(1)
				case r.Code != "already_used" && r.Code != "in_flight":
					t.Errorf("%s", r.raw)
				}
			})
		}
		close(start)
		all.Wait()
		if undone.Load() != 1 || w.writes(t) != 2 || w.value(t, "theme") != "light" {
			t.Errorf("%d calls were told undone, %d bodies ran", undone.Load(), w.writes(t))
		}
	})
}
