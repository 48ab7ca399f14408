package runtime_test

import (
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// What a person was shown is what they decide on. Where another row says something else by the time that they do, or asks
// for something else, their word is not taken for that.
func TestPersonDecidesOnlyOnWhatTheyWereShown(t *testing.T) {
	t.Parallel()
	rewritten := func(r *ledger.Record) { // by somebody who leaves no digest to hold it against
		r.Shown, r.ShownDigest = []byte(`{"rows":[],"summary":"Delete everything"}`), ""
	}
	for name, alter := range map[string]func(*ledger.Record){
		"other words":     rewritten,
		"another payload": func(r *ledger.Record) { r.Payload, r.ShownDigest = []byte(`{"key":"theme","value":"none"}`), "" },
		"more of it":      func(r *ledger.Record) { r.Items = 5000 },
		"another server":  func(r *ledger.Record) { r.Server = "elsewhere" },
		"another action":  func(r *ledger.Record) { r.Operation = "delete_setting" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, store := newAlteredWorld(t)
			o := operatorOf(t, store)
			p, a := w.preview(t, "theme", "dark"), w.applied(t, "language", "de")
			seen, applied := view(t, o, p.ChangeID).Seen, view(t, o, a.ChangeID).Seen
			store.alter = alter
			for verb, err := range map[string]error{
				"approve":      second(o.Approve(t.Context(), seen, "")),
				"reject":       second(o.Reject(t.Context(), seen, "no")),
				"request undo": second(o.RequestUndo(t.Context(), applied, "")),
			} {
				if !errors.Is(err, runtime.ErrMoved) {
					t.Errorf("%s: %v", verb, err)
				}
			}
		})
	}
}

// An undo that one agent asked for and a person refused is not the one that is asked for after that.
func TestPersonDecidesOnlyOnTheUndoThatTheyWereShown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, notAsked, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	o := operatorOf(t, w.store)
	id := insertWaiting(t, w, "chg_00000000000000000001", func(r *ledger.Record) {
		r.Status, r.ClaimID, r.UndoToken, r.UndoExpiresAt = ledger.Applied, "c", []byte("hash"), r.ExpiresAt
		r.UndoRequest = ledger.Request{At: r.CreatedAt, By: "agent", Channel: "agent", Reason: "a typing error"}
	})
	first := view(t, o, id).Seen
	if _, err := o.RequestUndo(t.Context(), first, "it was a mistake"); err != nil {
		t.Fatal(err)
	}
	for verb, err := range map[string]error{
		"approve": second(o.Approve(t.Context(), first, "")),
		"reject":  second(o.Reject(t.Context(), first, "no")),
		"again":   second(o.RequestUndo(t.Context(), first, "")),
	} {
		if !errors.Is(err, runtime.ErrMoved) {
			t.Errorf("%s: %v", verb, err)
		}
	}
	if r := w.record(t, id); r.UndoRequest.By != "ana" || r.UndoDecision.Verdict != ledger.Approved {
		t.Errorf("%+v, %+v", r.UndoRequest, r.UndoDecision)
	}
}

// What was decided by whom is told rather than that somebody was there first; both can be asked for.
func TestWhatStandsAgainstADecisionIsToldBesideThatTheChangeMoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	seen := view(t, o, p.ChangeID).Seen
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
		t.Fatal(a.raw)
	}
	_, err := o.Approve(t.Context(), seen, "")
	if !errors.Is(err, runtime.ErrNotWaiting) || !errors.Is(err, runtime.ErrMoved) {
		t.Errorf("%v", err)
	}
	if _, err := o.RequestUndo(t.Context(), seen, ""); !errors.Is(err, runtime.ErrMoved) || w.record(t, p.ChangeID).UndoRequest.Channel != "" {
		t.Errorf("an undo of what was shown before it was applied: %v", err)
	}
}

func TestDecisionOnNothingIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	pending, applied := w.preview(t, "theme", "dark"), w.applied(t, "language", "de")
	for id, want := range map[string]error{pending.ChangeID: runtime.ErrMoved, applied.ChangeID: runtime.ErrNotWaiting} {
		for _, subject := range []runtime.Subject{runtime.SubjectNone, "everything"} {
			seen := shownTo(t, o, id, subject)
			for verb, err := range map[string]error{"approve": second(o.Approve(t.Context(), seen, "")), "reject": second(o.Reject(t.Context(), seen, "no"))} {
				if !errors.Is(err, want) {
					t.Errorf("%s %q: %v, want %v", verb, subject, err, want)
				}
			}
			if r := w.record(t, id); r.Decision.Verdict != "" {
				t.Errorf("decided: %+v", r.Decision)
			}
		}
	}
}

// A person who was not told of an earlier no did not agree in spite of it.
func TestYesIsNotTakenOnceTheSameChangeWasRejected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	o := operatorOf(t, w.store)
	waiting, same := w.preview(t, "theme", "dark"), w.preview(t, "theme", "dark")
	seen := view(t, o, waiting.ChangeID).Seen
	if _, err := o.Reject(t.Context(), view(t, o, same.ChangeID).Seen, "no"); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Approve(t.Context(), seen, ""); !errors.Is(err, runtime.ErrMoved) || w.record(t, waiting.ChangeID).Decision.Verdict != "" {
		t.Errorf("%v", err)
	}
	if _, err := o.Approve(t.Context(), view(t, o, waiting.ChangeID).Seen, ""); err != nil {
		t.Errorf("in spite of it: %v", err)
	}
}
