package runtime_test

import (
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Whose answer of an apply was lost makes the same call again, and can undo.
func TestReplayWithTheRightTokenGivesANewUndoToken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	w.clock.move(time.Hour)
	again := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, again, "already_used")
	if again.UndoToken == "" || again.UndoToken == a.UndoToken || again.UndoExpiresAt != a.UndoExpiresAt || w.writes(t) != 1 {
		t.Fatalf("%s\n%s", a.raw, again.raw)
	}
	wantSaid(t, again, "replaces the earlier one", "")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "invalid_token")
	if u := w.undo(t, a.ChangeID, again.UndoToken); u.Status != "undone" || w.writes(t) != 2 {
		t.Errorf("%s", u.raw)
	}
}

func TestReplayGivesNoUndoTokenWhereThereIsNoUndo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*world)
		after  func(t *testing.T, w *world, a reply)
	}{
		"no undo":     {func(w *world) { w.operation.Undo = nil }, func(*testing.T, *world, reply) {}},
		"window over": {func(*world) {}, func(_ *testing.T, w *world, _ reply) { w.clock.move(runtime.DefaultUndoTTL) }},
		"undone":      {func(*world) {}, func(t *testing.T, w *world, a reply) { w.undo(t, a.ChangeID, a.UndoToken) }},
		"other undo now": {func(*world) {}, func(t *testing.T, w *world, _ reply) {
			w.operation.UndoDigest = "sha256:other"
			w.restart(t)
		}},
		"no result kept": {func(w *world) { w.options.MaxResultBytes = 5 }, func(*testing.T, *world, reply) {}},
		"clock set back": {func(*world) {}, func(_ *testing.T, w *world, _ reply) { w.clock.move(-time.Hour) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			p := w.preview(t, "theme", "dark")
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			test.after(t, w, a)
			before := w.record(t, p.ChangeID)
			again := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, again, "already_used")
			if again.UndoToken != "" || w.record(t, p.ChangeID).Revision != before.Revision {
				t.Errorf("%s", again.raw)
			}
		})
	}
}

func TestReplayOfAnUndoWithoutAnEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.options.UndoTTL = runtime.Never })
	p := w.preview(t, "theme", "dark")
	w.apply(t, p.ChangeID, p.ConfirmationToken)
	again := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if again.UndoToken == "" || again.UndoExpiresAt != "" {
		t.Fatalf("%s", again.raw)
	}
	if u := w.undo(t, p.ChangeID, again.UndoToken); u.Status != "undone" {
		t.Errorf("%s", u.raw)
	}
}

// Every racing replay is told a token or none, and of all of them one works: the one that was stored last.
func TestRacingReplaysLeaveOneUndoTokenThatWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := newWorld(t, func(o *world) { o.options.Store, o.target, o.operation = w.store, w.target, w.operation })
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	var all sync.WaitGroup
	start, tokens := make(chan struct{}), make(chan string, 2)
	for _, side := range []*world{w, other} {
		c := side.connect(t)
		all.Go(func() {
			<-start
			r := c.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			if r.Code != "already_used" || r.UndoToken == "" {
				t.Errorf("%s", r.raw)
			}
			tokens <- r.UndoToken
		})
	}
	close(start)
	all.Wait()
	close(tokens)
	wantRefused(t, w.undo(t, p.ChangeID, a.UndoToken), "invalid_token")
	undone := 0
	for token := range tokens {
		if u := w.undo(t, p.ChangeID, token); u.Status == "undone" {
			undone++
		} else if u.Code != "invalid_token" && u.Code != "already_used" {
			t.Errorf("%s", u.raw)
		}
	}
	if undone != 1 || w.writes(t) != 2 || w.record(t, p.ChangeID).Status != ledger.Undone {
		t.Errorf("%d undos, %d bodies ran", undone, w.writes(t))
	}
}

// A ledger that does not take the new token leaves the refusal as complete as without it, and the old token as good.
func TestReplayThatTheLedgerDoesNotTake(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	f.set(func(f *faulty) { f.swap = func(ledger.Status, func() error) error { return ledger.ErrBusy } })
	again := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, again, "already_used")
	if again.UndoToken != "" || string(again.Result) != string(a.Result) {
		t.Errorf("%s", again.raw)
	}
	f.set(func(f *faulty) { f.swap = nil })
	if u := w.undo(t, p.ChangeID, a.UndoToken); u.Status != "undone" {
		t.Errorf("%s", u.raw)
	}
}

func TestApplyOfAnExpectedPayload(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, other := w.preview(t, "theme", "dark"), w.preview(t, "theme", "blue")
	if p.PayloadHash == "" || p.PayloadHash == other.PayloadHash || p.PayloadHash != w.record(t, p.ChangeID).PayloadHash {
		t.Fatalf("%s", p.raw)
	}
	use := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken, "expected_payload_hash": other.PayloadHash}
	r := w.call(t, "apply_set_setting", use)
	wantRefused(t, r, "payload_mismatch")
	wantSaid(t, r, p.PayloadHash, "")
	use["expected_payload_hash"] = ""
	wantRefused(t, w.call(t, "apply_set_setting", use), "invalid_arguments")
	if kept := w.record(t, p.ChangeID); kept.Status != ledger.Pending || w.writes(t) != 0 {
		t.Fatalf("%s", kept.Status)
	}
	use["expected_payload_hash"] = p.PayloadHash
	if a := w.call(t, "apply_set_setting", use); a.Status != "applied" {
		t.Errorf("%s", a.raw)
	}
}
