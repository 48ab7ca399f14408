package runtime_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

// A person who repeats a sensitive value in their reason tells it to nobody: not to the agent, nor to other operators.
func TestReasonsOfPeopleAreWithoutSensitiveValues(t *testing.T) {
	t.Parallel()
	const reason = "because " + newSecret + " is weak"
	v := newVault(t)
	o := operatorOf(t, v.store)
	p := v.call(t, "preview_rotate", asked())
	apply := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
	approved, err := o.Approve(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectApply), reason)
	if err != nil || !strings.Contains(approved.Decision.Reason, "is weak") {
		t.Fatalf("%+v, %v", approved.Decision, err)
	}
	a := v.call(t, "apply_rotate", apply)
	if _, err := o.RequestUndo(t.Context(), view(t, o, p.ChangeID).Seen, reason); err != nil {
		t.Fatal(err)
	}
	if _, err := o.Reject(t.Context(), shownTo(t, o, p.ChangeID, runtime.SubjectUndo), reason); err != nil {
		t.Fatal(err)
	}
	undo := v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken})
	wantRefused(t, undo, "rejected")
	wantSaid(t, undo, "is weak", newSecret)
	second := asked()
	second["name"] = "other"
	no := v.call(t, "preview_rotate", second)
	if _, err := o.Reject(t.Context(), shownTo(t, o, no.ChangeID, runtime.SubjectApply), reason); err != nil {
		t.Fatal(err)
	}
	again := v.call(t, "preview_rotate", second)
	if again.PreviouslyRejected == nil || !strings.Contains(again.PreviouslyRejected.Reason, "is weak") {
		t.Errorf("%s", again.raw)
	}
	no = v.call(t, "apply_rotate", map[string]string{"change_id": no.ChangeID, "confirmation_token": no.ConfirmationToken})
	wantRefused(t, no, "rejected")
	wantSecret(t, v.everything(t, undo, again, no))
}
