package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// A caller who lost the answer is told what it takes to undo, by a repeated apply and by the status alike.
func TestAppliedChangeSaysWhatItTakesToUndo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*world)
		later  bool // after the time to undo
		says   string
	}{
		"undoable": {func(*world) {}, false, "with the undo_token of th"},
		"too late": {func(*world) {}, true, "could be undone until"},
		"no undo":  {func(w *world) { w.operation.Undo = nil }, false, "it cannot be undone"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			p := w.preview(t, "theme", "dark")
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			if test.later {
				w.clock.move(runtime.DefaultUndoTTL)
			}
			for _, r := range []reply{w.apply(t, p.ChangeID, p.ConfirmationToken), w.status(t, p.ChangeID)} {
				wantSaid(t, r, test.says, "nothing left to do")
				wantSaid(t, r, a.UndoExpiresAt, "Ask get_change_status")
			}
		})
	}
}

// Whoever asks is told why there is no result, and why there is no undo without it.
func TestMissingResultIsExplained(t *testing.T) {
	t.Parallel()
	for flaw, test := range map[string]struct {
		change func(*world)
		why    string
	}{
		"result_omitted": {func(w *world) { w.options.MaxResultBytes = 5 }, "larger than this server keeps (result_omitted)"},
		"result_invalid": {func(w *world) {
			w.operation.Apply = returning(w, func() *setResult { return nil })
		}, "does not fit its schema (result_invalid)"},
	} {
		t.Run(flaw, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			p := w.preview(t, "theme", "dark")
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantSaid(t, a, "cannot be undone, because that needs the result", "")
			again := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, again, "already_used")
			for _, r := range []reply{a, again, w.status(t, p.ChangeID)} {
				wantSaid(t, r, test.why, "")
				if r.ResultFlaw != flaw || r.Result != nil {
					t.Errorf("%s", r.raw)
				}
			}
			undo := w.undo(t, p.ChangeID, "undo_x")
			wantRefused(t, undo, "not_undoable")
			wantSaid(t, undo, "its undo needs the result. There is no result: it", "its operation has no undo")
			wantSaid(t, undo, test.why, "")
			stranger := w.apply(t, p.ChangeID, "confirm_wrong")
			if stranger.ResultFlaw != "" {
				t.Errorf("with a wrong token: %s", stranger.raw)
			}
		})
	}
}

// A stored result that somebody edited is left out of the answer, which is otherwise complete.
func TestDamagedResultIsLeftOutOfARepeatedApply(t *testing.T) {
	t.Parallel()
	for name, result := range map[string]string{
		"no JSON":           `{"version":`,
		"breaks its schema": `{"version":"two"}`,
		"twice a name":      `{"version":2,"version":3}`,
		"empty":             ``,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, store := newAlteredWorld(t)
			p := w.preview(t, "theme", "dark")
			w.apply(t, p.ChangeID, p.ConfirmationToken)
			store.alter = func(r *ledger.Record) { r.Result = []byte(result) }
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, r, "already_used")
			wantSaid(t, r, "does not fit its schema", "")
			if r.Result != nil || r.ResultFlaw != "result_invalid" || strings.Contains(r.text, "two") || w.writes(t) != 1 {
				t.Errorf("%s", r.raw)
			}
		})
	}
}

// The author's word decides what to do next; a hint of ours must not send the agent round in a circle.
func TestRefusalOfTheAuthorIsNotContradicted(t *testing.T) {
	t.Parallel()
	const own = "ask an administrator"
	const says, never = "Do what the message says; preview again only if that changes something.", "Preview the change again"
	w := newWorld(t, func(w *world) { failing(w, false, runtime.NotApplied(runtime.Refuse(own))) })
	p := w.preview(t, "theme", "dark")
	for _, r := range []reply{
		w.apply(t, p.ChangeID, p.ConfirmationToken), w.apply(t, p.ChangeID, p.ConfirmationToken), w.status(t, p.ChangeID),
	} {
		wantSaid(t, r, own, never)
		wantSaid(t, r, says, "")
	}
	looking := newWorld(t, func(w *world) {
		w.operation.Observe = func(context.Context, *setPayload) (*settingState, error) { return nil, runtime.Refuse(own) }
	})
	r := looking.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	wantRefused(t, r, "refused")
	wantSaid(t, r, says, never)
}
