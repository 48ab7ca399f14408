package runtime_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

// grantSchemas are those of an operation that has a sensitive value, and sensitive members of a map, beside plain ones.
const grantSchemas = `{
  "grant.payload": {
    "type": "object", "required": ["role"], "unevaluatedProperties": false,
    "properties": {
      "role": {"type": "string"},
      "password": {"type": "string", "x-sensitive": true},
      "secrets": {"type": "object", "additionalProperties": {"type": "string", "x-sensitive": true}},
      "parting": {"type": "object", "additionalProperties": {"type": "string"}},
      "guesses": {"type": "array", "items": {"type": "string"}}
    }
  },
  "member.state": {
    "type": "object", "required": ["role", "pin"],
    "properties": {"role": {"type": "string"}, "pin": {"type": "string", "x-sensitive": true}}
  }
}`

type (
	grantPayload struct {
		Role     string            `json:"role"`
		Password string            `json:"password,omitzero"`
		Secrets  map[string]string `json:"secrets,omitzero"`
		Parting  map[string]string `json:"parting,omitzero"`
		Guesses  []string          `json:"guesses,omitzero"`
	}
	memberState struct {
		Role string `json:"role"`
		Pin  string `json:"pin"`
	}
	grantChange = runtime.Change[*grantPayload, *memberState]
)

// newGrants is a vault whose operation grants a role, and shows all that it is asked.
func newGrants(t *testing.T) *vault {
	t.Helper()
	v := &vault{}
	v.start(t, grantSchemas, &runtime.Operation[*grantPayload, *memberState, *runtime.None]{
		Meta: runtime.Meta{Name: "grant", Resource: "member", Digest: "d", UndoDigest: "u"},
		Observe: func(context.Context, *grantPayload) (*memberState, error) {
			return &memberState{"reader", "4321"}, nil
		},
		Summary: func(c *grantChange) string { return runtime.Textf("Give user 1 the role %v", c.Payload.Role) },
		Diff: func(c *grantChange) []runtime.Row {
			rows := []runtime.Row{
				{Label: "role", Before: c.State.Role, After: c.Payload.Role},
				{Label: "password", After: c.Payload.Password, Sensitive: true},
				{Label: "secrets", After: c.Payload.Secrets, Hidden: []string{"/*"}},
				{Label: "parting", After: c.Payload.Parting, Parts: true},
			}
			for _, guess := range c.Payload.Guesses {
				rows = append(rows, runtime.Row{Label: runtime.Textf("is it %v", guess), After: guess})
			}
			return rows
		},
		Apply: runtime.NoResult(func(context.Context, *grantChange) error { return v.fail() }),
	})
	return v
}

// halves are an answer, and what operators and readers of its change are shown, each by itself.
func (v *vault) halves(t *testing.T, r reply) map[string]string {
	t.Helper()
	operator, err := runtime.NewOperator(v.store, runtime.Decider{Name: "ann", Channel: "test"})
	if err != nil {
		t.Fatal(err)
	}
	view, err := operator.Get(t.Context(), r.ChangeID)
	if err != nil {
		t.Fatal(err)
	}
	shown, err := json.Marshal(view.Diff)
	if err != nil {
		t.Fatal(err)
	}
	program, people := v.readChange(t, r.ChangeID)
	return map[string]string{
		"text": r.text, "structure": string(r.raw), "resource": program, "resource text": people,
		"view": view.Summary + string(shown), "lines": view.Summary + strings.Join(view.Lines, "\n"),
	}
}

// Whoever chooses a sensitive value, or the name of one, hides nothing else with it from the person who decides.
func TestRepeatingAValueInASensitiveFieldHidesNothing(t *testing.T) {
	t.Parallel()
	for name, payload := range map[string]string{
		"the value":     `{"role": "administrator", "password": "administrator"}`,
		"a part of it":  `{"role": "administrator", "password": "admi"}`,
		"in a map":      `{"role": "administrator", "secrets": {"x": "administrator", "y": "role", "z": "user"}}`,
		"as a name":     `{"role": "administrator", "secrets": {"administrator": "x"}}`,
		"by its member": `{"role": "administrator", "secrets": {"endsAt": "never", "role": "x"}, "parting": {"endsAt": "never"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newGrants(t)
			p := v.call(t, "preview_grant", json.RawMessage(payload))
			if p.Status != "preview" {
				t.Fatalf("%s", p.raw)
			}
			for where, text := range v.halves(t, p) {
				if strings.Count(text, "administrator") < 2 || strings.Contains(text, "(sensitive)") {
					t.Errorf("the role is not in the %s: %s", where, text)
				}
				if strings.Contains(payload, "parting") && !strings.Contains(text, `"never"`) {
					t.Errorf("the end is not in the %s: %s", where, text)
				}
			}
		})
	}
}

// What is shown of a guess does not depend on whether it is right.
func TestRedactionAnswersNoGuess(t *testing.T) {
	t.Parallel()
	v := newGrants(t)
	told := func(guess string) map[string]string {
		p := v.call(t, "preview_grant", map[string]any{
			"role": guess, "password": "x", "secrets": map[string]string{guess: guess}, "parting": map[string]string{guess: "is " + guess}, "guesses": []string{guess},
		})
		if p.Status != "preview" {
			t.Fatalf("%s", p.raw)
		}
		halves, places := v.halves(t, p), map[string]string{}
		for _, where := range []string{"text", "resource text", "view", "lines"} {
			said, _, _ := strings.Cut(halves[where], "\nUndo:") // behind which are hashes and times
			said, _, _ = strings.Cut(said, "\ncreated_at")
			_, said, _ = strings.Cut(said, "Give user")
			places[where] = strings.ReplaceAll(said, guess, "GUESS")
		}
		return places
	}
	right, wrong := told("4321"), told("4322")
	for where, text := range right {
		if text == "" || text != wrong[where] {
			t.Errorf("%s: of a guess that is right: %s, and of one that is wrong: %s", where, text, wrong[where])
		}
	}
}

// An author's error that repeats a guess is told alike, whether it is right or not.
func TestErrorsAnswerNoGuess(t *testing.T) {
	t.Parallel()
	for _, guess := range []string{"4321", "4322"} {
		v := newGrants(t)
		v.fail = func() error { return runtime.NotApplied(runtime.Refuse("the role %s is not known", guess)) }
		p := v.call(t, "preview_grant", map[string]any{"role": guess})
		r := v.call(t, "apply_grant", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
		wantRefused(t, r, "refused")
		wantSaid(t, r, "the role "+guess+" is not known", "(sensitive)")
	}
}

// Why a person is asked is in words of ours, and of the person who said no.
func TestNoValueHidesWhyAPersonIsAsked(t *testing.T) {
	t.Parallel()
	v := newGrants(t)
	payload := map[string]any{"role": "writer", "secrets": map[string]string{"a": "rejected", "b": "same", "c": "this server"}}
	first, second := v.call(t, "preview_grant", payload), v.call(t, "preview_grant", payload)
	operator := operatorOf(t, v.store)
	if _, err := operator.Reject(t.Context(), shownTo(t, operator, first.ChangeID, runtime.SubjectApply), "not now"); err != nil {
		t.Fatal(err)
	}
	wantRefused(t, v.call(t, "apply_grant", map[string]string{"change_id": second.ChangeID, "confirmation_token": second.ConfirmationToken}), "awaiting_approval")
	view, err := operator.Get(t.Context(), second.ChangeID)
	if err != nil || view.AskedBecause == "" || strings.Contains(view.AskedBecause, "(sensitive)") {
		t.Errorf("%q, %v", view.AskedBecause, err)
	}
}
