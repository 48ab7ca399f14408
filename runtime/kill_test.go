package runtime_test

import (
	"context"
	"database/sql"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// killed is what is left of a change whose server was killed at a point of it.
type killed struct {
	point  string
	writes int           // that were made until then, of the apply and the undo together
	orphan bool          // it is in doubt when a server starts
	stands ledger.Status // once that server has looked
	then   string        // the status or the code that the same call is answered with
	end    int           // writes after that
}

// doubt tells whether it is in doubt to the end.
func (k killed) doubt() bool { return open(k.stands) }

// The points of an apply.
var killedApplies = map[string]killed{
	"before the claim":              {before(ledger.Applying), 0, false, ledger.Pending, "applied", 1},
	"after the claim":               {after(ledger.Applying), 0, true, ledger.Applying, "in_doubt", 0},
	"in the look after the claim":   {looking(ledger.Applying), 0, true, ledger.Applying, "in_doubt", 0},
	"in the body, before the write": {atApply, 0, true, ledger.Applying, "in_doubt", 0},
	"in the body, after the write":  {wroteApply, 1, true, ledger.Applied, "already_used", 1},
	"before the record":             {before(ledger.Applied), 1, true, ledger.Applied, "already_used", 1},
	"after the record":              {after(ledger.Applied), 1, false, ledger.Applied, "already_used", 1},
}

// The points of an undo.
var killedUndos = map[string]killed{
	"before the claim":              {before(ledger.Undoing), 1, false, ledger.Applied, "undone", 2},
	"after the claim":               {after(ledger.Undoing), 1, true, ledger.Undoing, "in_doubt", 1},
	"in the look after the claim":   {looking(ledger.Undoing), 1, true, ledger.Undoing, "in_doubt", 1},
	"in the body, before the write": {atUndo, 1, true, ledger.Undoing, "in_doubt", 1},
	"in the body, after the write":  {wroteUndo, 2, true, ledger.Undone, "already_used", 2},
	"before the record":             {before(ledger.Undone), 2, true, ledger.Undone, "already_used", 2},
	"after the record":              {after(ledger.Undone), 2, false, ledger.Undone, "already_used", 2},
}

// A server that is killed anywhere in an apply has written what it wrote and no more. Once restarted it runs nothing by
// itself, finds out what was done, and asks an operator about the rest.
func TestKilledApply(t *testing.T) { atEachPoint(t, killedApplies, newKilling, killApply) }

// The same holds of an undo.
func TestKilledUndo(t *testing.T) { atEachPoint(t, killedUndos, newKilling, killUndo) }

// atEachPoint has a server killed at each point, over each kind of ledger.
func atEachPoint(t *testing.T, points map[string]killed, share func(*testing.T, ledgerKind) *killing, kill func(*testing.T, *killing, killed)) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		for name, at := range points {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				kill(t, share(t, kind), at)
			})
		}
	})
}

// killApply kills a server at a point of an apply, and looks at what another one makes of it.
func killApply(t *testing.T, k *killing, at killed) {
	victim := startProcess(t, k.in, at.point)
	waiting := victim.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "de"})
	apply := victim.toApply(t)
	id := apply["change_id"]
	victim.crash(t, "apply_set_setting", apply)
	again := k.restart(t, at, id)
	k.same(t, at, again.call(t, "apply_set_setting", apply))
	undo := map[string]string{"change_id": id, "undo_token": "undo_x"}
	if at.doubt() {
		wantRefused(t, again.call(t, "undo_set_setting", undo), "in_doubt")
		k.settle(t, id, ledger.ApplyFailed)
		wantRefused(t, again.call(t, "undo_set_setting", undo), "not_undoable")
	} else if anew := again.call(t, "apply_set_setting", apply); anew.UndoToken != "" {
		undo["undo_token"] = anew.UndoToken
		if u := again.call(t, "undo_set_setting", undo); u.Status != "undone" {
			t.Errorf("the undo with the token of a repeated apply: %s", u.raw)
		}
	}
	use := map[string]string{"change_id": waiting.ChangeID, "confirmation_token": waiting.ConfirmationToken}
	if a := again.call(t, "apply_set_setting", use); a.Status != "applied" {
		t.Errorf("a preview from before the restart: %s", a.raw)
	}
	k.end(t, at, again)
}

// killUndo is killApply of an undo.
func killUndo(t *testing.T, k *killing, at killed) {
	victim := startProcess(t, k.in, at.point)
	apply := victim.toApply(t)
	undo := victim.toUndo(t, apply)
	victim.crash(t, "undo_set_setting", undo)
	again := k.restart(t, at, undo["change_id"])
	k.same(t, at, again.call(t, "undo_set_setting", undo))
	wantRefused(t, again.call(t, "apply_set_setting", apply), "already_used")
	if at.doubt() {
		k.settle(t, undo["change_id"], ledger.UndoFailed)
		wantRefused(t, again.call(t, "undo_set_setting", undo), "already_used")
	}
	wantWrites(t, k.target, at.end, "at the end")
	k.end(t, at, again)
}

// killing is what a server shares that is killed, as others see it.
type killing struct {
	in     shared
	target *sql.DB
	*world // over the same ledger, without a server
}

func newKilling(t *testing.T, kind ledgerKind) *killing {
	t.Helper()
	in := kind.shared(t)
	return &killing{in: in, target: openTargetDB(t, in.directory)}
}

// restart starts the server anew and checks where the change stands before anybody asks.
func (k *killing) restart(t *testing.T, at killed, id string) *process {
	t.Helper()
	wantWrites(t, k.target, at.writes, "after the kill")
	k.in.expireHolders(t)
	again := startProcess(t, k.in, "")
	k.world = &world{store: openLedgerAt(t, k.in.ledger, nil)}
	k.becomes(t, id, at.stands)
	s := again.call(t, "get_change_status", map[string]string{"change_id": id})
	if at.doubt() {
		s = again.found(t, id, "not_done")
	}
	if s.Status != string(at.stands) || s.InDoubt != at.doubt() {
		t.Errorf("status: %s", s.raw)
	}
	wantWrites(t, k.target, at.writes, "after the restart")
	return again
}

// found asks about a change in doubt until it is told what a look at it has found. For that no call waits any longer than for
// some seconds.
func (p *process) found(t *testing.T, id, verdict string) reply {
	t.Helper()
	patient, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		s := p.call(t, "get_change_status", map[string]string{"change_id": id})
		switch {
		case strings.Contains(s.DoubtReason, verdict):
			return s
		case patient.Err() != nil:
			t.Fatalf("a look has not found %s: %s", verdict, s.raw)
		}
	}
}

// same checks the answer to the call that the kill cut off, made again.
func (k *killing) same(t *testing.T, at killed, r reply) {
	t.Helper()
	if r.Status != at.then && r.Code != at.then {
		t.Errorf("the same call: %s", r.raw)
	}
	wantWrites(t, k.target, at.end, "after the same call")
}

// settle is the word of an operator on a change in doubt, which the ledger lists.
func (k *killing) settle(t *testing.T, id string, want ledger.Status) {
	t.Helper()
	listed, err := k.store.List(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Applying, ledger.Undoing}})
	if err != nil || len(listed) != 1 || listed[0].ID != id {
		t.Errorf("%d changes are listed as in doubt, %v", len(listed), err)
	}
	ana, err := runtime.NewOperator(k.store, runtime.Decider{Name: "ana", Channel: "test"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := settle(t.Context(), ana, id, runtime.NotDone, "looked at the table"); err != nil {
		t.Errorf("the word of an operator: %v", err)
	}
	k.becomes(t, id, want)
}

// end kills the server again, and reads its log and the ledger.
func (k *killing) end(t *testing.T, at killed, again *process) {
	t.Helper()
	again.kill()
	if logged := strings.Contains(again.log.String(), "change in doubt"); logged != at.orphan {
		t.Errorf("the log of the restarted server:\n%s", again.log)
	}
	k.in.wantIntact(t)
}

func wantWrites(t *testing.T, db *sql.DB, want int, when string) {
	t.Helper()
	if got := countWrites(t, db); got != want {
		t.Fatalf("%s: %d bodies ran, want %d", when, got, want)
	}
}
