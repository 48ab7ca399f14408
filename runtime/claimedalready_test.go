package runtime_test

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Whoever may not claim a change, because of where it stands, is told where that is.
func TestRefusalOfAClaimNamesWhereTheChangeStands(t *testing.T) {
	t.Parallel()
	for status, test := range map[ledger.Status]struct {
		change func(*world)
		bring  func(t *testing.T, w *world, p reply) // the change there
		code   string                                // of another apply
	}{
		ledger.Applied: {bring: applyIt, code: "already_used"},
		ledger.Undone: {code: "already_used", bring: func(t *testing.T, w *world, p reply) {
			w.undo(t, p.ChangeID, w.apply(t, p.ChangeID, p.ConfirmationToken).UndoToken)
		}},
		ledger.ApplyFailed: {code: "already_used", bring: applyIt, change: func(w *world) { failing(w, false, errors.New("failed")) }},
		ledger.UndoFailed: {code: "already_used", change: func(w *world) { failing(w, true, errors.New("failed")) }, bring: func(t *testing.T, w *world, p reply) {
			w.undo(t, p.ChangeID, w.apply(t, p.ChangeID, p.ConfirmationToken).UndoToken)
		}},
		ledger.Applying: {code: "in_doubt", bring: applyIt, change: func(w *world) { failing(w, false, errCut) }},
		ledger.Undoing: {code: "already_used", change: func(w *world) { failing(w, true, errCut) }, bring: func(t *testing.T, w *world, p reply) {
			w.undo(t, p.ChangeID, w.apply(t, p.ChangeID, p.ConfirmationToken).UndoToken)
		}},
		ledger.Expired:  {code: "expired", bring: func(_ *testing.T, w *world, _ reply) { w.clock.move(runtime.DefaultTTL) }},
		ledger.Rejected: {code: "rejected", bring: func(t *testing.T, w *world, p reply) { reject(t, w, p.ChangeID, "no") }},
	} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				if test.change != nil {
					test.change(w)
				}
			})
			p := w.preview(t, "theme", "dark")
			test.bring(t, w, p)
			bodies := w.writes(t)
			for _, token := range []string{p.ConfirmationToken, "confirm_wrong"} {
				r := w.apply(t, p.ChangeID, token) // whose text half says all of this too
				wantRefused(t, r, test.code)
				if r.ChangeStatus != string(status) || r.ChangeID != p.ChangeID {
					t.Errorf("%s", r.raw)
				}
			}
			if w.writes(t) != bodies {
				t.Errorf("%d bodies ran", w.writes(t)-bodies)
			}
		})
	}
}

func applyIt(t *testing.T, w *world, p reply) { w.apply(t, p.ChangeID, p.ConfirmationToken) }

// What runs is not waited for to expire: its time was kept by its claim. What is in doubt does not expire either.
func TestWhatWasClaimedDoesNotExpire(t *testing.T) {
	t.Parallel()
	w, started, release := slowWorld(t)
	p := w.preview(t, "theme", "dark")
	done := async(t.Context(), w.client, p)
	wait(t, started, "apply")
	expireAll(t, w)
	if r := w.record(t, p.ChangeID); r.Status != ledger.Applying {
		t.Errorf("what runs is %s", r.Status)
	}
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if s := w.status(t, p.ChangeID); s.Status != "applied" || w.writes(t) != 1 {
		t.Errorf("%s, %d bodies ran", s.raw, w.writes(t))
	}

	doubtful := cutOff(t, false)
	q := doubtful.doubted(t, "theme", "dark")
	expireAll(t, doubtful)
	if s := doubtful.status(t, q.ChangeID); s.Status != "applying" || !s.InDoubt {
		t.Errorf("what is in doubt: %s", s.raw)
	}
}

// expireAll has an operator close what is over, long after every preview is.
func expireAll(t *testing.T, w *world) {
	t.Helper()
	w.clock.move(runtime.MaxTTL)
	if n, err := operatorOf(t, w.store).Expire(t.Context()); n != 0 || err != nil {
		t.Errorf("%d changes were closed, %v", n, err)
	}
}
