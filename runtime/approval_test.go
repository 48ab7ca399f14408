package runtime_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// byOperator makes the operation of a world one that a person approves, apply and undo.
func byOperator(w *world) {
	w.operation.Approval, w.operation.UndoApproval = runtime.ByOperator, runtime.ByOperator
}

func approve(t testing.TB, w *world, id string, what runtime.Subject) {
	t.Helper()
	if _, err := operatorOf(t, w.store).Approve(t.Context(), shownTo(t, operatorOf(t, w.store), id, what), ""); err != nil {
		t.Fatalf("approve the %s of %s: %v", what, id, err)
	}
}

func TestApplyWaitsForAnOperatorsYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	p := w.preview(t, "theme", "dark")
	if p.Approval != "operator" {
		t.Errorf("%s", p.raw)
	}
	for _, tool := range w.tools(t) {
		if said := strings.Contains(tool.Description, "an operator's yes"); said != (tool.Name != "get_change_status") {
			t.Errorf("%s: %s", tool.Name, tool.Description)
		}
	}
	wantSaid(t, p, "An operator also has to approve change "+p.ChangeID, "Only after they agree")
	wantSaid(t, w.status(t, p.ChangeID), "An operator has to approve change "+p.ChangeID, "")
	before := w.record(t, p.ChangeID)
	for range 2 {
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
	}
	wantRefused(t, w.apply(t, p.ChangeID, "confirm_wrong"), "invalid_token")
	if diff := cmp.Diff(before, w.record(t, p.ChangeID)); diff != "" || w.writes(t) != 0 {
		t.Fatalf("waiting spent something:\n%s", diff)
	}
	approve(t, w, p.ChangeID, runtime.SubjectApply)
	if s := w.status(t, p.ChangeID); s.Decision != "approved" || !strings.Contains(s.NextStep, "A person has approved it") {
		t.Errorf("%s", s.raw)
	}
	wantRefused(t, w.apply(t, p.ChangeID, "confirm_wrong"), "invalid_token")
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.value(t, "theme") != "dark" {
		t.Errorf("%s", a.raw)
	}
	if kept := w.record(t, p.ChangeID); kept.Decision.By != "ana" || kept.Decision.Channel != "changesetctl" {
		t.Errorf("%+v", kept.Decision)
	}
}

// A change waits for a person for ApprovalTTL, and from the yes on it is as good as any preview: for its TTL.
func TestApprovalExpires(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator, func(w *world) { w.options.ApprovalTTL = 3 * time.Hour })
	p, late := w.preview(t, "theme", "dark"), w.preview(t, "language", "de")
	w.clock.move(2 * time.Hour)
	approve(t, w, p.ChangeID, runtime.SubjectApply)
	w.clock.move(runtime.DefaultTTL)
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "expired")
	w.clock.move(time.Hour)
	wantRefused(t, w.apply(t, late.ChangeID, late.ConfirmationToken), "expired")
	if w.writes(t) != 0 {
		t.Error("a body ran")
	}
}

func TestRejectionIsTheAnswerWhateverFollows(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	p := w.preview(t, "theme", "dark")
	approve(t, w, p.ChangeID, runtime.SubjectApply)
	if _, err := operatorOf(t, w.store).Reject(t.Context(), shownTo(t, operatorOf(t, w.store), p.ChangeID, runtime.SubjectApply), "not on a Friday"); err != nil {
		t.Fatal(err)
	}
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "rejected")
	wantSaid(t, r, "not on a Friday", "")
	if w.writes(t) != 0 {
		t.Error("a body ran")
	}
}

// A condition decides, over payload and state, which changes need the yes; the token is enough for the others.
func TestApprovalUnderACondition(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator, func(w *world) {
		w.operation.ApprovalWhen = func(c *setChange) bool { return c.Payload.Value == "dark" && c.State.Value == "light" }
	})
	if a := w.applied(t, "theme", "blue"); a.Status != "applied" {
		t.Fatalf("%s", a.raw)
	}
	if p := w.preview(t, "theme", "dark"); p.Approval != "token" {
		t.Errorf("over another state: %s", p.raw)
	}
	w.edit(t, "theme", "light")
	p := w.preview(t, "theme", "dark")
	if p.Approval != "operator" {
		t.Errorf("%s", p.raw)
	}
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
}

// A server that asks for more than it did when the change was previewed gets it; one that asks for less does not matter.
func TestStricterServerOrPreviewDecides(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ before, after runtime.Approval }{
		"stricter now":    {runtime.ByToken, runtime.ByOperator},
		"stricter before": {runtime.ByOperator, runtime.ByToken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) { w.operation.Approval = test.before })
			p := w.preview(t, "theme", "dark")
			w.operation.Approval = test.after
			w.restart(t)
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
			approve(t, w, p.ChangeID, runtime.SubjectApply)
			if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
				t.Errorf("%s", a.raw)
			}
		})
	}
}

// Where nobody can tell whether a condition holds, a preview is refused, and a claim waits for the yes.
func TestConditionOfAnApprovalThatFails(t *testing.T) {
	t.Parallel()
	broken := false
	w := newWorld(t, byOperator, func(w *world) {
		w.operation.ApprovalWhen = func(*setChange) bool {
			if broken {
				panic("hunter2")
			}
			return false
		}
	})
	p := w.preview(t, "theme", "dark")
	broken = true
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
	r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"})
	wantRefused(t, r, "internal")
	if strings.Contains(r.text, "hunter2") || w.writes(t) != 0 {
		t.Errorf("%s", r.text)
	}
}

// A yes to the apply is none to its undo, which waits as a request.
func TestUndoWaitsForAYesOfItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	p := w.preview(t, "theme", "dark")
	if p.Undo.Approval != "operator" || !strings.Contains(p.text, "with an operator's yes") {
		t.Errorf("%s", p.raw)
	}
	approve(t, w, p.ChangeID, runtime.SubjectApply)
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, w.undo(t, p.ChangeID, "undo_wrong"), "invalid_token")
	if w.record(t, p.ChangeID).UndoRequest.Channel != "" {
		t.Error("a wrong token asked for an undo")
	}
	r := w.undo(t, p.ChangeID, a.UndoToken)
	wantRefused(t, r, "awaiting_approval")
	wantSaid(t, r, "an operator has to approve the undo of change "+p.ChangeID, "changesetctl")
	asked := w.record(t, p.ChangeID)
	if asked.UndoRequest.Channel != "agent" || asked.Status != ledger.Applied {
		t.Fatalf("%+v", asked.Mutable)
	}
	wantRefused(t, w.undo(t, p.ChangeID, a.UndoToken), "awaiting_approval")
	if diff := cmp.Diff(asked, w.record(t, p.ChangeID)); diff != "" {
		t.Errorf("asking again changed the record:\n%s", diff)
	}
	wantSaid(t, w.status(t, p.ChangeID), "An undo was asked for, and an operator has to approve it for change "+p.ChangeID, "")
	approve(t, w, p.ChangeID, runtime.SubjectUndo)
	if w.writes(t) != 1 {
		t.Error("the yes ran the undo without its token")
	}
	if u := w.undo(t, p.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Errorf("%s", u.raw)
	}
}

func TestUndoThatWasRejectedStaysApplied(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	a := w.applied(t, "theme", "dark")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
	if _, err := operatorOf(t, w.store).Reject(t.Context(), shownTo(t, operatorOf(t, w.store), a.ChangeID, runtime.SubjectUndo), "leave it"); err != nil {
		t.Fatal(err)
	}
	r := w.undo(t, a.ChangeID, a.UndoToken)
	wantRefused(t, r, "rejected")
	wantSaid(t, r, "leave it", "")
	if s := w.status(t, a.ChangeID); s.Status != "applied" || s.UndoDecision != "rejected" || w.writes(t) != 1 {
		t.Errorf("%s", s.raw)
	}
}

// A request that the ledger does not take is told as that, not as one that waits.
func TestUndoRequestThatIsNotRecorded(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	a := w.applied(t, "theme", "dark")
	f.set(func(f *faulty) { f.swap = func(ledger.Status, func() error) error { return ledger.ErrBusy } })
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "ledger_busy")
	f.set(func(f *faulty) { f.swap = nil })
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
}

// Of a yes and a no at one moment and an apply that waits for them, the apply runs once or never, as the record says.
func TestRacingDecisionsAndAppliesAgree(t *testing.T) {
	t.Parallel()
	w := newWorld(t, byOperator)
	p := w.preview(t, "theme", "dark")
	o := operatorOf(t, w.store)
	seen := shownTo(t, o, p.ChangeID, runtime.SubjectApply)
	var all sync.WaitGroup
	start := make(chan struct{})
	all.Go(func() { <-start; _, _ = o.Approve(context.Background(), seen, "") })
	all.Go(func() { <-start; _, _ = o.Reject(context.Background(), seen, "no") })
	for range callers {
		c := w.connect(t)
		all.Go(func() {
			<-start
			c.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
		})
	}
	close(start)
	all.Wait()
	r := w.record(t, p.ChangeID)
	want := map[ledger.Status]int{ledger.Rejected: 0, ledger.Applied: 1, ledger.Pending: 0}
	if bodies, ok := want[r.Status]; !ok || w.writes(t) != bodies {
		t.Errorf("%s, %d bodies ran", r.Status, w.writes(t))
	}
	if r.Status == ledger.Applied && r.Decision.Verdict != ledger.Approved {
		t.Errorf("it ran on %+v", r.Decision)
	}
}
