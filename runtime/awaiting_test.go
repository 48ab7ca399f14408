package runtime_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// waiting is the one change that waits for a person, as operators see it.
func waiting(t testing.TB, w *world) runtime.View {
	t.Helper()
	views, err := operatorOf(t, w.store).Pending(t.Context(), runtime.PendingQuery{})
	if err != nil || len(views) != 1 {
		t.Fatalf("%d changes wait for a person, %v", len(views), err)
	}
	return views[0]
}

// A change whose record lets the token carry it out, and whose apply is refused for want of a yes, is one that operators
// are shown, with the reason, and that its agent is told to wait with.
func TestWhatNeedsAYesBeyondItsRecordIsListed(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		demand  func(t *testing.T, w *world)
		because string
	}{
		"a sibling was rejected": {func(t *testing.T, w *world) {
			reject(t, w, w.preview(t, "theme", "dark").ChangeID, "not on a Friday")
		}, "was rejected by ana at "},
		"the server is stricter": {func(t *testing.T, w *world) {
			w.operation.Approval = runtime.ByOperator
			w.restart(t)
		}, "the server asks for a person's yes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			p := w.preview(t, "theme", "dark")
			test.demand(t, w)
			v, err := operatorOf(t, w.store).Get(t.Context(), p.ChangeID)
			if told := name == "a sibling was rejected"; err != nil || (v.PreviouslyRejected != "") != told {
				t.Errorf("%+v, %v", v, err)
			}
			s := w.status(t, p.ChangeID)
			wantSaid(t, s, "An operator has to approve change "+p.ChangeID, "Apply it with the token")
			wantRefused(t, w.apply(t, p.ChangeID, "confirm_wrong"), "invalid_token")
			if views, err := operatorOf(t, w.store).Pending(t.Context(), runtime.PendingQuery{}); err != nil || len(views) != 0 {
				t.Errorf("a wrong token asked for a yes: %v, %v", views, err)
			}
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
			v = waiting(t, w)
			if v.ID != p.ChangeID || v.Approval != runtime.ByOperator || !strings.Contains(v.AskedBecause, test.because) || v.Error != "" {
				t.Errorf("%+v", v)
			}
			marked := w.record(t, p.ChangeID)
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
			if diff := cmp.Diff(marked, w.record(t, p.ChangeID)); diff != "" {
				t.Errorf("asking again changed the record:\n%s", diff)
			}
			if s := w.status(t, p.ChangeID); s.Code != "awaiting_approval" || s.Approval != "operator" {
				t.Errorf("%s", s.raw)
			}
			approve(t, w, p.ChangeID, runtime.SubjectApply)
			if s := w.status(t, p.ChangeID); s.Code != "" || !strings.Contains(s.NextStep, "A person has approved it") {
				t.Errorf("%s", s.raw)
			}
			if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.writes(t) != 1 {
				t.Errorf("%s", a.raw)
			}
		})
	}
}

// What people were asked is theirs to answer: a server that would not have asked does not answer for them.
func TestLaxerServerDoesNotAnswerForAPerson(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.preview(t, "theme", "dark")
	for _, approval := range []runtime.Approval{runtime.ByOperator, runtime.ByToken} {
		w.operation.Approval = approval
		w.restart(t)
		wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
	}
	reject(t, w, p.ChangeID, "no")
	if v, err := operatorOf(t, w.store).Get(t.Context(), p.ChangeID); err != nil || v.AskedBecause != "" || v.Error != "" || v.Message != "no" {
		t.Errorf("%+v, %v", v, err)
	}
}

// A wait that the ledger does not take is told as that: nobody would be asked.
func TestWaitThatIsNotRecorded(t *testing.T) {
	t.Parallel()
	w, f := newFaultyWorld(t)
	p := w.preview(t, "theme", "dark")
	reject(t, w, w.preview(t, "theme", "dark").ChangeID, "no")
	f.set(func(f *faulty) { f.swap = func(ledger.Status, func() error) error { return ledger.ErrBusy } })
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "ledger_busy")
	f.set(func(f *faulty) { f.swap = nil })
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "awaiting_approval")
	waiting(t, w)
}

// A request that is made again is answered as an apply of its change would be.
func TestRepeatedRequestTellsOfANeededYes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.request(t, "r1", "theme", "dark")
	reject(t, w, w.preview(t, "theme", "dark").ChangeID, "not on a Friday")
	p := w.request(t, "r1", "theme", "dark")
	if p.Approval != "operator" {
		t.Errorf("%s", p.raw)
	}
	wantSaid(t, p, "A person rejected the same change before (not on a Friday).", "Only after they agree")
}

// Where writes are off and no tool writes, nobody is told to call one.
func TestStatusNamesNoToolThatIsNotThere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p, a := w.preview(t, "theme", "dark"), w.applied(t, "language", "de")
	w.options.WriteMode = ""
	w.restart(t)
	wantSaid(t, w.status(t, p.ChangeID), "until an operator switches them on", "")
	w.options.HideWhenDisabled = true
	w.restart(t)
	for _, id := range []string{p.ChangeID, a.ChangeID} {
		wantSaid(t, w.status(t, id), "which has no tools that write until an operator switches them on", "Apply it with")
	}
	approve(t, w, p.ChangeID, runtime.SubjectApply)
	wantSaid(t, w.status(t, p.ChangeID), "A person has approved it", "Apply it with")
}
