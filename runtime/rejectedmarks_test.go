package runtime_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

// A no is to what would be written. It stands whatever sensitive values the target has by then.
func TestRejectionIsRememberedWhateverTheStateHolds(t *testing.T) {
	t.Parallel()
	type state struct {
		Value  string  `json:"value"`
		Secret *string `json:"secret,omitzero"`
	}
	var secret atomic.Pointer[string]
	v := &vault{}
	v.start(t, `{
		"set.payload": {"type": "object", "required": ["key", "value"], "properties": {"key": {"type": "string"}, "value": {"type": "string"}}},
		"thing.state": {"type": "object", "properties": {"value": {"type": "string"}, "secret": {"type": "string", "x-sensitive": true}}}
	}`, &runtime.Operation[*setPayload, *state, runtime.None]{
		Meta:    runtime.Meta{Name: "set", Resource: "thing", Bind: []string{"value"}, Volatile: []string{"secret"}, Digest: "d", UndoDigest: "u"},
		Observe: func(context.Context, *setPayload) (*state, error) { return &state{"light", secret.Load()}, nil },
		Apply: func(context.Context, *runtime.Change[*setPayload, *state]) (runtime.None, error) {
			t.Error("it ran")
			return runtime.None{}, nil
		},
	})
	operator := operatorOf(t, v.store)
	arguments := map[string]string{"key": "a", "value": "dark"}
	preview := func(holds *string) reply {
		secret.Store(holds)
		return v.call(t, "preview_set", arguments)
	}
	held := "hunter2"
	sibling, no := preview(nil), preview(&held)
	if _, err := operator.Reject(t.Context(), shownTo(t, operator, no.ChangeID, runtime.SubjectApply), "never"); err != nil {
		t.Fatal(err)
	}
	for name, p := range map[string]reply{"with a secret": preview(&held), "without one": preview(nil)} {
		if p.Approval != "operator" || p.PreviouslyRejected == nil || p.PayloadHash != no.PayloadHash {
			t.Errorf("%s: %s", name, p.raw)
		}
	}
	shown, err := operator.Get(t.Context(), sibling.ChangeID)
	if err != nil || shown.PreviouslyRejected != no.ChangeID {
		t.Errorf("the operator is told of %q, %v", shown.PreviouslyRejected, err)
	}
	wantRefused(t, v.call(t, "apply_set", map[string]string{"change_id": sibling.ChangeID, "confirmation_token": sibling.ConfirmationToken}), "awaiting_approval")
}

// To mark a field makes another hash of the same payload, and no other change.
func TestRejectionIsRememberedWhenAFieldIsMarked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	no := w.preview(t, "theme", "dark")
	reject(t, w, no.ChangeID, "never")
	w.spec.Schemas = []byte(strings.Replace(schemaFile, `"minLength": 1`, `"x-sensitive": true, "minLength": 1`, 1))
	w.restart(t)
	marked := w.preview(t, "theme", "dark")
	if marked.Approval != "operator" || marked.PreviouslyRejected == nil || marked.PreviouslyRejected.ChangeID != no.ChangeID {
		t.Errorf("%s", marked.raw)
	}
	if shown := view(t, operatorOf(t, w.store), marked.ChangeID); shown.PreviouslyRejected != no.ChangeID {
		t.Errorf("the operator is told of %q", shown.PreviouslyRejected)
	}
}
