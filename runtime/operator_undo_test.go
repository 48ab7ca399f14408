package runtime_test

import (
	"slices"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

func TestUndoIsShownAsWhatItWouldWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.Inverse = runtime.Compensating
		w.operation.Diff = func(c *setChange) []runtime.Row {
			return []runtime.Row{
				{Label: "theme", Before: "light", After: "dark"},
				{Label: "etag", Before: "one", KnownAfterApply: true},
				{Label: "name", Before: "shop", After: "shop", Context: true},
				{Label: "pin", Before: "1", After: "2", Sensitive: true},
				{Label: "reason", After: "upgrade"},
			}
		}
	})
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	if v := view(t, o, p.ChangeID); v.UndoLines != nil || v.UndoDiff != nil || !v.Compensates {
		t.Errorf("before it is applied: %q, compensates %v", v.UndoLines, v.Compensates)
	}
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
		t.Fatal(a.raw)
	}
	v := view(t, o, p.ChangeID)
	want := []string{
		`theme: "dark" -> "light"`, `etag: (made by the apply) -> "one"`, `name: "shop" (does not change)`,
		"pin: changed (its value is not shown)",
		`reason: "upgrade" (asked for with the change; nothing shows that the undo writes it)`,
	}
	if !slices.Equal(v.UndoLines, want) || len(v.UndoDiff) != len(want) || string(v.UndoDiff[0].After) != `"light"` {
		t.Errorf("%q\n%+v", v.UndoLines, v.UndoDiff)
	}
	if v.Lines[0] != `theme: "light" -> "dark"` {
		t.Errorf("the change itself: %q", v.Lines)
	}
}

// What needs a yes can be told from what has one and waits for the agent.
func TestViewsTellWhoseMoveItIs(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.Approval, w.operation.UndoApproval = runtime.ByOperator, runtime.ByOperator
	})
	o := operatorOf(t, w.store)
	p := w.preview(t, "theme", "dark")
	expect := func(want runtime.Waits) {
		t.Helper()
		if v := view(t, o, p.ChangeID); v.WaitsFor != want {
			t.Errorf("it waits for %q, want %q", v.WaitsFor, want)
		}
	}
	expect(runtime.WaitsForApproval)
	if _, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), ""); err != nil {
		t.Fatal(err)
	}
	expect(runtime.WaitsForAgent)
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	expect(runtime.WaitsForNobody)
	wantRefused(t, w.undo(t, p.ChangeID, a.UndoToken), "awaiting_approval")
	expect(runtime.WaitsForUndoApproval)
	if _, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectUndo), ""); err != nil {
		t.Fatal(err)
	}
	expect(runtime.WaitsForAgent)
	if _, err := o.Reject(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectUndo), "keep it"); err != nil {
		t.Fatal(err)
	}
	expect(runtime.WaitsForNobody)
	if v := view(t, o, p.ChangeID); v.UndoDecision.Verdict != "rejected" || v.Decision.Verdict != "approved" {
		t.Errorf("%+v, %+v", v.UndoDecision, v.Decision)
	}
}
