package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
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

// plainly shows the credential, and returns what was asked for, without a thought about what is sensitive.
func plainly(o *rotate) {
	o.Summary = func(*rotateChange) string { return "Rotate" }
	o.Loses = nil
	o.Diff = func(c *rotateChange) []runtime.Row {
		was, now := c.State.Credential, c.Payload.Credential
		return []runtime.Row{
			{Label: "user", Before: was.User, After: now.User},
			{Label: "secret", Before: was.Secret, After: now.Secret},
			{Label: "pin", Before: was.Pin, After: now.Pin},
			{Label: "parts", Before: was, After: now, Parts: true},
		}
	}
	apply := o.Apply
	o.Apply = func(ctx context.Context, c *rotateChange) (*rotateResult, error) {
		r, err := apply(ctx, c)
		if err == nil {
			r.Key = "the secret is now " + c.Payload.Credential.Secret + ", and that is all of it"
		}
		return r, err
	}
}

// What is marked in one document of a change is told nobody out of another that repeats it, whatever that one's schema says.
func TestValuesMarkedInOneDocumentAreHiddenInAll(t *testing.T) {
	t.Parallel()
	for _, document := range []string{"rotate.payload", "login.state"} {
		t.Run(document, func(t *testing.T) {
			t.Parallel()
			v := newVaultOf(t, markedOnlyIn(t, document), plainly)
			stale := v.call(t, "preview_rotate", asked())
			p := v.call(t, "preview_rotate", asked())
			a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			if a.Status != "applied" {
				t.Fatalf("%s", a.raw)
			}
			again := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			v.set(credential{"bob", "an0ther-s3cret", 5})
			u := v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": again.UndoToken})
			wantRefused(t, u, "state_changed")
			s := v.call(t, "apply_rotate", map[string]string{"change_id": stale.ChangeID, "confirmation_token": stale.ConfirmationToken})
			wantRefused(t, s, "state_changed")
			for _, r := range []reply{u, s} {
				if !strings.Contains(r.text, `/credential/user: was "ann", now "bob"`) || strings.Count(r.text, "changed (its value is not shown)") != 2 {
					t.Errorf("%s", r.text)
				}
			}
			wantSecret(t, v.everything(t, stale, p, a, again, u, s))
		})
	}
}

// A result may be the only document that is marked. What was applied is hidden from then on.
func TestValuesMarkedInTheResultAreHiddenInDifferences(t *testing.T) {
	t.Parallel()
	v := newVaultOf(t, markedOnlyIn(t, "rotate.result"), plainly, func(o *rotate) {
		apply := o.Apply
		o.Apply = func(ctx context.Context, c *rotateChange) (*rotateResult, error) {
			r, err := apply(ctx, c)
			r.Key = c.Payload.Credential.Secret + strings.Repeat("!", 30)
			return r, err
		}
	})
	p := v.call(t, "preview_rotate", asked())
	a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	key := newSecret + strings.Repeat("!", 30)
	v.set(credential{"bob", "now " + key, 5})
	u := v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken})
	wantRefused(t, u, "state_changed")
	if strings.Contains(u.text+string(u.raw), "!!!!") || !strings.Contains(u.text, "/credential/secret: changed (its value is not shown)") {
		t.Errorf("%s", u.raw)
	}
}

// A short value is in many texts that have nothing to do with it, so it is looked for where it is all of a value.
func TestShortSensitiveValuesAreHiddenWhereTheyAreAllOfAValue(t *testing.T) {
	t.Parallel()
	v := newVaultOf(t, markedOnlyIn(t, "rotate.payload"), plainly, func(o *rotate) {
		o.Diff = func(c *rotateChange) []runtime.Row {
			return []runtime.Row{
				{Label: "code", Before: "old", After: c.Payload.Credential.Secret},
				{Label: "number", Before: 1, After: c.Payload.Credential.Pin},
				{Label: "text", Before: "1", After: "47"},
				{Label: "other", Before: "x", After: "abcd 470"},
			}
		}
	})
	p := v.call(t, "preview_rotate", map[string]any{"name": "login", "credential": map[string]any{"user": "ann", "secret": "abc", "pin": 47}})
	for i, want := range []string{"changed", "changed", "changed", ""} {
		if got := p.Diff[i].Sensitive; got != want {
			t.Errorf("%s: %q, want %q", p.Diff[i].Field, got, want)
		}
	}
}
