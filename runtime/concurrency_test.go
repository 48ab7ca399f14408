package runtime_test

import (
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

const callers = 50

func TestConcurrentAppliesOfOneTokenRunOneBody(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		w := newWorld(t, over(t, kind))
		other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation }) // a second guard
		p := w.preview(t, "theme", "dark")
		apply := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
		wantOnce(t, callAtOnce(t, connected(t, w, other), "apply_set_setting", apply), "applied")
		if w.writes(t) != 1 || w.record(t, p.ChangeID).Status != ledger.Applied {
			t.Errorf("%d bodies ran, and the change is %s", w.writes(t), w.record(t, p.ChangeID).Status)
		}
	})
}

func TestConcurrentUndosOfOneTokenRunOneBody(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		w := newWorld(t, over(t, kind))
		a := w.applied(t, "theme", "dark")
		undo := map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken}
		wantOnce(t, callAtOnce(t, connected(t, w), "undo_set_setting", undo), "undone")
		if w.writes(t) != 2 || w.value(t, "theme") != "light" {
			t.Errorf("%d bodies ran, and the theme is %s", w.writes(t), w.value(t, "theme"))
		}
	})
}

// connected are callers of these servers in turn.
func connected(t *testing.T, worlds ...*world) (all []*client) {
	t.Helper()
	for i := range callers {
		all = append(all, worlds[i%len(worlds)].connect(t))
	}
	return all
}
