package runtime_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

type (
	notePayload struct {
		Text string   `json:"text"`
		Tags []string `json:"tags,omitzero"`
	}
	noteChange    = runtime.Change[*notePayload, *runtime.None]
	noteApplied   = runtime.Applied[*notePayload, *runtime.None, *runtime.None]
	noteOperation = runtime.Operation[*notePayload, *runtime.None, *runtime.None]
)

const noteSchemas = `{"add_note.payload": {
  "type": "object", "required": ["text"], "unevaluatedProperties": false,
  "properties": {"text": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}}}
}}`

// An operation may look at nothing, return nothing, and be undone all the same.
func TestOperationWithoutStateAndResult(t *testing.T) {
	t.Parallel()
	var notes []string
	w := newWorld(t)
	operation := &noteOperation{
		Meta: runtime.Meta{Name: "add_note", Inverse: runtime.Compensating, Digest: "sha256:1", UndoDigest: "sha256:1", TTL: runtime.MinTTL},
		Diff: func(c *noteChange) []runtime.Row {
			return []runtime.Row{
				{Label: "text", After: c.Payload.Text},
				{Label: "tags", After: runtime.PresentList(c.Payload.Tags)},
				{Label: "author", Before: "you", After: "you", Context: true},
				{Label: "id", KnownAfterApply: true},
				{Label: "archived", Before: runtime.Present(c.State), After: (*bool)(nil)},
			}
		},
		Apply: runtime.NoResult(func(_ context.Context, c *noteChange) error {
			if c.State != nil {
				return runtime.NotApplied(errors.New("there is a state"))
			}
			notes = append(notes, c.Payload.Text)
			return nil
		}),
		Undo: func(_ context.Context, c *noteApplied) error {
			if c.Before != nil || c.After != nil || c.Result != nil {
				return runtime.NotApplied(errors.New("there is a state or a result"))
			}
			notes = notes[:len(notes)-1]
			return nil
		},
	}
	if err := w.guard.Register(w.server, runtime.Spec{Server: "settings", Schemas: []byte(noteSchemas)}, operation); err != nil {
		t.Fatal(err)
	}
	c := w.connect(t)
	p := c.call(t, "preview_add_note", `{"text":"buy milk"}`)
	want := []rowReply{
		{Field: "text", After: []byte(`"buy milk"`)}, {Field: "tags"},
		{Field: "author", Before: []byte(`"you"`), After: []byte(`"you"`), Context: true},
		{Field: "id", KnownAfterApply: true}, {Field: "archived", After: []byte(`null`)},
	}
	if diff := cmp.Diff(want, p.Diff); diff != "" || p.Undo.Kind != "compensating" {
		t.Errorf("%s\n%s", p.raw, diff)
	}
	wantText := "  text: (none) -> \"buy milk\"\n  tags: (none) -> (none)\n  author: \"you\" (does not change)\n  id: (none) -> (known after apply)\n  archived: (none) -> null\n"
	if !strings.Contains(p.text, wantText) {
		t.Errorf("%s\nwhich should have\n%s", p.text, wantText)
	}
	if kept := w.record(t, p.ChangeID); kept.State != nil || kept.ExpiresAt.Sub(kept.CreatedAt) != time.Minute {
		t.Errorf("%+v", kept.Fixed)
	}
	a := c.call(t, "apply_add_note", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	if a.Status != "applied" || a.Result != nil || a.ResultFlaw != "" || len(notes) != 1 {
		t.Fatalf("%s, %v", a.raw, notes)
	}
	u := c.call(t, "undo_add_note", map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken})
	if u.Status != "undone" || len(notes) != 0 {
		t.Errorf("%s, %v", u.raw, notes)
	}
}

// A change answers only to the authenticated caller who previewed it.
func TestChangeAnswersOnlyToItsCaller(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		return &auth.TokenInfo{UserID: token, Expiration: time.Now().Add(time.Hour)}, nil
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return w.server }, nil)
	web := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
	t.Cleanup(web.Close)
	as := func(user string) *client {
		return connect(t, &mcp.StreamableClientTransport{
			Endpoint: web.URL, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: bearer(user)},
		})
	}
	alice, bob := as("alice"), as("bob")
	p := alice.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
	apply := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
	wantRefused(t, bob.call(t, "apply_set_setting", apply), "unknown_change")
	wantRefused(t, w.call(t, "apply_set_setting", apply), "unknown_change")
	wantRefused(t, bob.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID}), "unknown_change")
	if a := alice.call(t, "apply_set_setting", apply); a.Status != "applied" {
		t.Errorf("%s", a.raw)
	}
	if r := w.record(t, p.ChangeID); r.Caller == "" || r.Caller == "alice" {
		t.Errorf("the ledger keeps the caller as %q", r.Caller)
	}
}

// bearer sends a user's name for a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}
