package runtime_test

import (
	"context"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// The points of a joined apply: what its body wrote is there if, and only if, the change is recorded as applied.
var killedJoinedApplies = map[string]killed{
	"before the claim":              {before(ledger.Applying), 0, false, ledger.Pending, "applied", 1},
	"after the claim":               {after(ledger.Applying), 0, false, ledger.ApplyFailed, "already_used", 0},
	"in the look after the claim":   {looking(ledger.Applying), 0, false, ledger.ApplyFailed, "already_used", 0},
	"in the body, before the write": {atApply, 0, false, ledger.ApplyFailed, "already_used", 0},
	"in the body, after the write":  {wroteApply, 0, false, ledger.ApplyFailed, "already_used", 0},
	"before the commit":             {before(ledger.Applied), 0, false, ledger.ApplyFailed, "already_used", 0},
	"after the commit":              {after(ledger.Applied), 1, false, ledger.Applied, "already_used", 1},
}

// The points of a joined undo: one that was not recorded leaves the change applied, with a token that is as good as before.
var killedJoinedUndos = map[string]killed{
	"before the claim":              {before(ledger.Undoing), 1, false, ledger.Applied, "undone", 2},
	"after the claim":               {after(ledger.Undoing), 1, false, ledger.Applied, "undone", 2},
	"in the look after the claim":   {looking(ledger.Undoing), 1, false, ledger.Applied, "undone", 2},
	"in the body, before the write": {atUndo, 1, false, ledger.Applied, "undone", 2},
	"in the body, after the write":  {wroteUndo, 1, false, ledger.Applied, "undone", 2},
	"before the commit":             {before(ledger.Undone), 1, false, ledger.Applied, "undone", 2},
	"after the commit":              {after(ledger.Undone), 2, false, ledger.Undone, "already_used", 2},
}

// A server that is killed anywhere in a joined apply leaves no doubt. The token is spent, and runs nothing twice.
func TestKilledJoinedApply(t *testing.T) {
	atEachPoint(t, killedJoinedApplies, newJoinedKilling, func(t *testing.T, k *killing, at killed) {
		victim := startProcess(t, k.in, at.point)
		k.killIn(t, at, victim, "apply_set_setting", victim.toApply(t))
	})
}

// The same holds of an undo.
func TestKilledJoinedUndo(t *testing.T) {
	atEachPoint(t, killedJoinedUndos, newJoinedKilling, func(t *testing.T, k *killing, at killed) {
		victim := startProcess(t, k.in, at.point)
		k.killIn(t, at, victim, "undo_set_setting", victim.toUndo(t, victim.toApply(t)))
	})
}

// killIn kills a server in a call, and looks at what another one makes of it.
func (k *killing) killIn(t *testing.T, at killed, victim *process, tool string, arguments map[string]string) {
	t.Helper()
	victim.crash(t, tool, arguments)
	again := k.restart(t, at, arguments["change_id"])
	k.same(t, at, again.call(t, tool, arguments))
	k.end(t, at, again)
}

// While the process of a joined claim lives its change is in flight for others; once it is gone, nothing was written.
func TestJoinedClaimOfAnotherProcess(t *testing.T) {
	onEachLedger(t, func(t *testing.T, kind ledgerKind) {
		k := newJoinedKilling(t, kind)
		holder, other := startProcess(t, k.in, after(ledger.Applying)), startProcess(t, k.in, "")
		apply := holder.toApply(t)
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			_, _ = holder.try(context.Background(), "apply_set_setting", apply)
		}()
		holder.stopped(t)
		wantRefused(t, other.call(t, "apply_set_setting", apply), "in_flight")
		holder.kill()
		<-gone
		k.in.expireHolders(t)
		r := other.call(t, "apply_set_setting", apply)
		wantRefused(t, r, "already_used")
		if r.ChangeStatus != string(ledger.ApplyFailed) {
			t.Errorf("%s", r.raw)
		}
		wantWrites(t, k.target, 0, "after the kill")
	})
}
