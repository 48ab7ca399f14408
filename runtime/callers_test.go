package runtime_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// overHTTP serves a world on loopback to whoever shows a bearer token, which is the name of its subject.
func (w *world) overHTTP(t *testing.T, stateless bool) *httptest.Server {
	t.Helper()
	return w.overHTTPAs(t, stateless, func(token string) string { return token })
}

// overHTTPAs is overHTTP where userOf names the subject of a token.
func (w *world) overHTTPAs(t *testing.T, stateless bool, userOf func(token string) string) *httptest.Server {
	t.Helper()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return w.server }, &mcp.StreamableHTTPOptions{Stateless: stateless})
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		if token == "" {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{UserID: userOf(token), Expiration: time.Now().Add(time.Hour)}, nil
	}
	server := httptest.NewServer(auth.RequireBearerToken(verify, nil)(handler))
	t.Cleanup(server.Close)
	return server
}

// asSubject sends a bearer token with every request.
type asSubject string

func (b asSubject) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// as is a client that is authenticated as a subject.
func as(t *testing.T, server *httptest.Server, subject string) *client {
	t.Helper()
	return connect(t, &mcp.StreamableClientTransport{
		Endpoint: server.URL, HTTPClient: &http.Client{Transport: asSubject(subject)}, DisableStandaloneSSE: true,
	})
}

// A change is its authenticated caller's own: to any other it does not exist, whatever they know of it.
func TestChangeOfAnotherSubjectIsUnknown(t *testing.T) {
	t.Parallel()
	for name, stateless := range map[string]bool{"stateful": false, "stateless": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			server := w.overHTTP(t, stateless)
			ana, bob := as(t, server, "ana"), as(t, server, "bob")
			p := ana.call(t, "preview_set_setting", map[string]string{"request_id": "r1", "key": "theme", "value": "dark"})
			use := map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}
			for _, stranger := range []*client{bob, w.client} { // and one whom nobody authenticated
				wantUnknown(t, stranger.call(t, "apply_set_setting", use), p.ChangeID)
				wantUnknown(t, stranger.call(t, "get_change_status", map[string]string{"change_id": p.ChangeID}), p.ChangeID)
			}
			theirs := bob.call(t, "preview_set_setting", map[string]string{"request_id": "r1", "key": "theme", "value": "blue"})
			if theirs.Status != "preview" || theirs.ChangeID == p.ChangeID {
				t.Errorf("the request of the same name of another: %s", theirs.raw)
			}
			a := ana.call(t, "apply_set_setting", use)
			if a.Status != "applied" {
				t.Fatalf("its own: %s", a.raw)
			}
			undo := map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken}
			wantUnknown(t, bob.call(t, "undo_set_setting", undo), p.ChangeID)
			wantUnknown(t, bob.call(t, "apply_set_setting", use), p.ChangeID) // no result, and no new undo token
			if u := ana.call(t, "undo_set_setting", undo); u.Status != "undone" || w.writes(t) != 2 {
				t.Errorf("its own undo: %s", u.raw)
			}
		})
	}
}

func wantUnknown(t *testing.T, r reply, id string) {
	t.Helper()
	wantRefused(t, r, "unknown_change")
	if r.ChangeID != "" || r.ChangeStatus != "" || r.Result != nil || r.UndoToken != "" {
		t.Errorf("it tells of %s: %s", id, r.raw)
	}
}

// All who are authenticated as nobody in particular would be one caller, and could use each other's changes.
func TestCallerWhoIsAuthenticatedAsNobodyIsRefused(t *testing.T) {
	t.Parallel()
	scope := ""
	w := newWorld(t, func(w *world) { w.options.Scope = func(context.Context) string { return scope } })
	ana := as(t, w.overHTTPAs(t, true, func(string) string { return "" }), "ana")
	id := w.preview(t, "theme", "dark").ChangeID // of one whom nobody had to authenticate
	for tool, arguments := range map[string]map[string]string{
		"preview_set_setting": {"key": "theme", "value": "dark"},
		"apply_set_setting":   {"change_id": id, "confirmation_token": "confirm_x"},
		"undo_set_setting":    {"change_id": id, "undo_token": "undo_x"},
		"get_change_status":   {"change_id": id},
	} {
		wantRefused(t, ana.call(t, tool, arguments), "unknown_caller")
	}
	if _, err := ana.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "changeset://" + id}); err == nil || !strings.Contains(err.Error(), "does not know as whom") {
		t.Errorf("read: %v", err)
	}
	if !strings.Contains(w.log.String(), "set TokenInfo.UserID") {
		t.Errorf("the operator is not told: %s", w.log.String())
	}
	scope = "ana's"
	if p := ana.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"}); p.Status != "preview" {
		t.Errorf("with a scope: %s", p.raw)
	}
}

// Limits, waiting previews and the reasons of a no are a caller's own.
func TestWhatCountsForOneSubjectDoesNotCountForAnother(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.operation.Limits = runtime.Limits{Changes: 1, Per: time.Hour}
		w.options.MaxPending = 1
	})
	server := w.overHTTP(t, true)
	ana, bob := as(t, server, "ana"), as(t, server, "bob")
	theme := map[string]string{"key": "theme", "value": "dark"}
	p := ana.call(t, "preview_set_setting", theme)
	wantRefused(t, ana.call(t, "preview_set_setting", theme), "too_many_pending")
	other := bob.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "fr"})
	if other.Status != "preview" {
		t.Errorf("%s", other.raw)
	}
	if a := ana.call(t, "apply_set_setting", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken}); a.Status != "applied" {
		t.Fatalf("%s", a.raw)
	}
	wantRefused(t, ana.call(t, "preview_set_setting", theme), "no_change")
	wantRefused(t, ana.call(t, "preview_set_setting", map[string]string{"key": "language", "value": "de"}), "limit_exceeded")
	if b := bob.call(t, "apply_set_setting", map[string]string{"change_id": other.ChangeID, "confirmation_token": other.ConfirmationToken}); b.Status != "applied" {
		t.Errorf("the change of ana counts for bob: %s", b.raw)
	}
}

// A no is to the change, whoever asks for it; the words to its caller are for nobody else.
func TestRejectionOfAnotherSubjectsChangeIsToldWithoutItsReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	server := w.overHTTP(t, true)
	theme := map[string]string{"key": "theme", "value": "dark"}
	no := as(t, server, "ana").call(t, "preview_set_setting", theme)
	reject(t, w, no.ChangeID, "ana knows why")
	p := as(t, server, "bob").call(t, "preview_set_setting", theme)
	wantSaid(t, p, "A person rejected the same change before, when somebody else asked for it.", "previously_rejected: ")
	if p.Approval != "operator" || p.PreviouslyRejected == nil || *p.PreviouslyRejected != (rejectedReply{}) {
		t.Errorf("%s", p.raw)
	}
	if r := w.record(t, p.ChangeID); r.Rejected != no.ChangeID || r.Status != ledger.Pending {
		t.Errorf("%+v", r.Fixed)
	}
}

// Whether a person said no to it would tell whoever guesses what another caller's sensitive payload was.
func TestRejectionOfAnotherSubjectsSensitiveChangeIsNotTold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.spec.Schemas = []byte(strings.Replace(schemaFile, `"minLength": 1`, `"x-sensitive": true, "minLength": 1`, 1))
	})
	server := w.overHTTP(t, true)
	ana, bob := as(t, server, "ana"), as(t, server, "bob")
	pin := map[string]string{"key": "theme", "value": "4711"}
	no := ana.call(t, "preview_set_setting", pin)
	reject(t, w, no.ChangeID, "no")
	guess := bob.call(t, "preview_set_setting", pin)
	if guess.Approval != "token" || guess.PreviouslyRejected != nil {
		t.Errorf("to a caller who guesses: %s", guess.raw)
	}
	if again := ana.call(t, "preview_set_setting", pin); again.Approval != "operator" || again.PreviouslyRejected == nil {
		t.Errorf("to its own caller: %s", again.raw)
	}
	if shown := view(t, operatorOf(t, w.store), guess.ChangeID); shown.PreviouslyRejected != no.ChangeID {
		t.Errorf("the operator is told of %q", shown.PreviouslyRejected)
	}
}
