package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// markedOnlyIn are the schemas of the vault with the marks of one document alone.
func markedOnlyIn(t *testing.T, document string) string {
	t.Helper()
	const mark = `, "x-sensitive": true`
	names := []string{"rotate.payload", "rotate.result", "login.state"}
	var kept strings.Builder
	rest := rotateSchemas
	for i, name := range names {
		section := rest
		if i+1 < len(names) {
			at := strings.Index(rest, `"`+names[i+1]+`"`)
			section, rest = rest[:at], rest[at:]
		}
		if name != document {
			section = strings.ReplaceAll(section, mark, "")
		}
		kept.WriteString(section)
	}
	if !strings.Contains(kept.String(), mark) {
		t.Fatalf("nothing is marked in %s", document)
	}
	return kept.String()
}

// answering returns what was asked for, without a thought about what is sensitive.
func answering(o *rotate) {
	apply := o.Apply
	o.Apply = func(ctx context.Context, c *rotateChange) (*rotateResult, error) {
		r, err := apply(ctx, c)
		if err == nil {
			r.Key = "the secret is now " + c.Payload.Credential.Secret + ", and that is all of it"
		}
		return r, err
	}
}

// overwritten applies a change to a vault, and asks for another apply and for the undo once somebody else changed the credential.
func (v *vault) overwritten(t *testing.T, arguments any, by credential) (answers []reply) {
	t.Helper()
	stale, p := v.call(t, "preview_rotate", arguments), v.call(t, "preview_rotate", arguments)
	a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	if a.Status != "applied" {
		t.Fatalf("%s", a.raw)
	}
	again := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	v.set(by)
	s := v.call(t, "apply_rotate", map[string]string{"change_id": stale.ChangeID, "confirmation_token": stale.ConfirmationToken})
	wantRefused(t, s, "state_changed")
	u := v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": again.UndoToken})
	wantRefused(t, u, "state_changed")
	return []reply{stale, p, a, again, s, u}
}

// What is marked in a payload is told nobody out of a state or a result that repeats it, whatever their schemas say.
func TestValuesMarkedInThePayloadAreHiddenInWhatItLeaves(t *testing.T) {
	t.Parallel()
	v := newVaultOf(t, markedOnlyIn(t, "rotate.payload"), answering)
	answers := v.overwritten(t, asked(), credential{"bob", "another", 5})
	undo := answers[len(answers)-1]
	if !strings.Contains(undo.text, `/credential/user: was "ann", now "bob"`) || strings.Count(undo.text, "changed (its value is not shown)") != 2 {
		t.Errorf("%s", undo.text)
	}
	wantNowhere(t, v.everything(t, answers...), "n3w-s3cret", fmt.Sprint(newPin), answerSecret)
}

// What is marked in a state is hidden where it stands, whatever the payload says of it.
func TestValuesMarkedInTheStateAreHiddenWhereTheyStand(t *testing.T) {
	t.Parallel()
	v := newVaultOf(t, markedOnlyIn(t, "login.state"), answering)
	answers := v.overwritten(t, asked(), credential{"bob", "an0ther-s3cret", 555555})
	for _, r := range answers[len(answers)-2:] {
		if !strings.Contains(r.text, `/credential/user: was "ann", now "bob"`) || strings.Count(r.text, "changed (its value is not shown)") != 2 {
			t.Errorf("%s", r.text)
		}
	}
	wantNowhere(t, v.everything(t, answers...), "0ld", "an0ther", fmt.Sprint(oldPin), "555555")
}

// A short value is in many texts that have nothing to do with it, so it is looked for where it is all of a value.
func TestShortSensitiveValuesAreHiddenWhereTheyAreAllOfAValue(t *testing.T) {
	t.Parallel()
	v := newVaultOf(t, markedOnlyIn(t, "rotate.payload"))
	arguments := map[string]any{"name": "login", "credential": map[string]any{"user": "ann", "secret": "abc", "pin": 47}}
	answers := v.overwritten(t, arguments, credential{"abc 47", "x", 5})
	want := []changeReply{
		{Field: "/credential/pin", Sensitive: true}, {Field: "/credential/secret", Sensitive: true},
		{Field: "/credential/user", Was: []byte(`"ann"`), Now: []byte(`"abc 47"`)},
	}
	if diff := cmp.Diff(want, answers[len(answers)-1].Changed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
