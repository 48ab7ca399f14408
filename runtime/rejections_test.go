package runtime_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
)

// reject is a person's no to a change that waits.
func reject(t testing.TB, w *world, id, reason string) {
	t.Helper()
	if _, err := operatorOf(t, w.store).Reject(t.Context(), shownTo(t, operatorOf(t, w.store), id, runtime.SubjectApply), reason); err != nil {
		t.Fatalf("reject %s: %v", id, err)
	}
}

// A no is remembered: the same change again needs a person's yes, and everybody is told why.
func TestRejectedChangeNeedsAYesWhenItIsPreviewedAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	no := w.preview(t, "theme", "dark")
	reject(t, w, no.ChangeID, "not on a Friday\u202e")
	p := w.preview(t, "theme", "dark")
	if p.Approval != "operator" || p.PreviouslyRejected == nil || p.PreviouslyRejected.ChangeID != no.ChangeID {
		t.Fatalf("%s", p.raw)
	}
	if strings.Contains(p.text, "\u202e") || !strings.Contains(p.PreviouslyRejected.Reason, "not on a Friday") {
		t.Errorf("%s", p.raw)
	}
	wantSaid(t, p, "A person rejected the same change before", "")
	if kept := w.record(t, p.ChangeID); kept.Rejected != no.ChangeID || kept.Approval != "operator" {
		t.Errorf("%+v", kept.Fixed)
	}
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
	approve(t, w, p.ChangeID, runtime.SubjectApply)
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" {
		t.Errorf("%s", a.raw)
	}
	if other := w.preview(t, "theme", "blue"); other.Approval != "token" || other.PreviouslyRejected != nil {
		t.Errorf("another payload: %s", other.raw)
	}
}

// What waited already when a person said no to its like cannot be used to get round the no.
func TestSiblingOfARejectedChangeNeedsAYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sibling, no := w.preview(t, "theme", "dark"), w.preview(t, "theme", "dark")
	reject(t, w, no.ChangeID, "no")
	wantRefused(t, w.apply(t, sibling.ChangeID, sibling.ConfirmationToken), "awaiting_approval")
	approve(t, w, sibling.ChangeID, runtime.SubjectApply)
	if a := w.apply(t, sibling.ChangeID, sibling.ConfirmationToken); a.Status != "applied" || w.writes(t) != 1 {
		t.Errorf("%s", a.raw)
	}
}

// The first yes of a person stands against their earlier no.
func TestSiblingThatWasApprovedBeforeTheNoRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	sibling, no := w.preview(t, "theme", "dark"), w.preview(t, "theme", "dark")
	approve(t, w, sibling.ChangeID, runtime.SubjectApply)
	reject(t, w, no.ChangeID, "no")
	if a := w.apply(t, sibling.ChangeID, sibling.ConfirmationToken); a.Status != "applied" {
		t.Errorf("%s", a.raw)
	}
}

func TestRejectionIsForgottenInTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.options.RejectionMemory = time.Hour })
	reject(t, w, w.preview(t, "theme", "dark").ChangeID, "no")
	w.clock.move(time.Hour - time.Minute)
	if p := w.preview(t, "theme", "dark"); p.Approval != "operator" {
		t.Errorf("within the hour: %s", p.raw)
	}
	w.clock.move(2 * time.Minute)
	if p := w.preview(t, "theme", "dark"); p.Approval != "token" || p.PreviouslyRejected != nil {
		t.Errorf("after it: %s", p.raw)
	}
}

// A rejection survives a restart, and is one of its scope.
func TestRejectionIsOfOneScope(t *testing.T) {
	t.Parallel()
	scope := "a"
	w := newWorld(t, func(w *world) { w.options.Scope = func(context.Context) string { return scope } })
	reject(t, w, w.preview(t, "theme", "dark").ChangeID, "no")
	w.restart(t)
	scope = "b"
	if p := w.preview(t, "theme", "dark"); p.Approval != "token" {
		t.Errorf("in another scope: %s", p.raw)
	}
	scope = "a"
	if p := w.preview(t, "theme", "dark"); p.Approval != "operator" {
		t.Errorf("after a restart: %s", p.raw)
	}
}

// A no is the answer for as long as the change is kept: after its time, after a restart, and whoever asks.
func TestRejectionOutlivesTheTimeOfTheChange(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	reject(t, w, p.ChangeID, "not on a Friday")
	w.clock.move(2 * runtime.MaxApprovalTTL)
	if _, err := operatorOf(t, w.store).Expire(t.Context()); err != nil {
		t.Fatal(err)
	}
	w.restart(t)
	for _, token := range []string{p.ConfirmationToken, "confirm_wrong"} {
		r := w.apply(t, p.ChangeID, token)
		wantRefused(t, r, "rejected")
		wantSaid(t, r, "not on a Friday", "")
	}
	if s := w.status(t, p.ChangeID); s.Status != "rejected" || w.writes(t) != 0 {
		t.Errorf("%s", s.raw)
	}
}

// A second no says what the first did. It changes nothing, so that the reason that the agent was told stays.
func TestRejectionIsGivenTwiceWithoutHarm(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.UndoApproval = runtime.ByOperator })
	p := w.preview(t, "language", "de")
	a := w.applied(t, "theme", "dark")
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "awaiting_approval")
	o := operatorOf(t, w.store)
	for what, id := range map[runtime.Subject]string{runtime.SubjectApply: p.ChangeID, runtime.SubjectUndo: a.ChangeID} {
		if _, err := o.Reject(t.Context(), shownTo(t, o, id, what), "the first"); err != nil {
			t.Fatal(err)
		}
		before := w.record(t, id)
		v, err := o.Reject(t.Context(), shownTo(t, o, id, what), "the second")
		if err != nil || v.ID != id || v.Status != before.Status {
			t.Errorf("%s: %v, %+v", what, err, v)
		}
		if diff := cmp.Diff(before, w.record(t, id)); diff != "" {
			t.Errorf("%s: the second no changed the record:\n%s", what, diff)
		}
		if _, err := o.Approve(t.Context(), shownTo(t, o, id, what), ""); err == nil {
			t.Errorf("%s: a yes after the no was taken", what)
		}
	}
}

// The latest no is the one that was said last, whatever was previewed first.
func TestLatestNoIsTheOneThatWasSaidLast(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, second := w.preview(t, "theme", "dark"), w.preview(t, "theme", "dark")
	reject(t, w, second.ChangeID, "too early")
	w.clock.move(time.Minute)
	reject(t, w, first.ChangeID, "not at all")
	p := w.preview(t, "theme", "dark")
	if p.PreviouslyRejected == nil || p.PreviouslyRejected.ChangeID != first.ChangeID || p.PreviouslyRejected.Reason != "not at all" {
		t.Errorf("%s", p.raw)
	}
}
