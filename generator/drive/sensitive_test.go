package drive_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
	accounts "github.com/changesetgen/changesetgen/testdata/golden/sensitive/want"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type accountBodies struct{ db *sql.DB }

func (b accountBodies) ApplyChangeLogin(ctx context.Context, c *accounts.ChangeLoginChange) (*accounts.ChangeLoginResult, error) {
	p := c.Payload
	return &accounts.ChangeLoginResult{Key: "result-secret"},
		sqlop.ExecOne(ctx, b.db, `UPDATE accounts SET login = ?, keys = coalesce(?, keys) WHERE token = ?`, p.Login, p.Keys, p.Token)
}

func (b accountBodies) UndoChangeLogin(ctx context.Context, c *accounts.ChangeLoginApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE accounts SET login = ?, keys = ? WHERE token = ?`, c.Before.Login, c.Before.Keys, c.Payload.Token)
}

func (b accountBodies) ApplyChangePin(ctx context.Context, c *accounts.ChangePinChange) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE accounts SET pin = ?, login = ? WHERE token = ?`, c.Payload.Pin, c.Payload.Login, c.Payload.Token)
}

func (b accountBodies) UndoChangePin(ctx context.Context, c *accounts.ChangePinApplied) error {
	return sqlop.ExecOne(ctx, b.db, `UPDATE accounts SET pin = ?, login = ? WHERE token = ?`, c.Before.Pin, c.Before.Login, c.Payload.Token)
}

// seen is a row as far as it may be seen.
type seen struct {
	Field     string          `json:"field"`
	Before    json.RawMessage `json:"before"`
	After     json.RawMessage `json:"after"`
	Sensitive string          `json:"sensitive"`
}

// seen are the rows of the last answer.
func (w *world) seen(t *testing.T) []string {
	t.Helper()
	var outer struct {
		StructuredContent struct {
			Diff []seen `json:"diff"`
		} `json:"structuredContent"`
	}
	check(t, "read the answer", json.Unmarshal(w.wire.last(), &outer))
	var rows []string
	for _, r := range outer.StructuredContent.Diff {
		rows = append(rows, strings.Join([]string{r.Field, string(r.Before), string(r.After), r.Sensitive}, "|"))
	}
	return rows
}

func startAccounts(t *testing.T) *world {
	t.Helper()
	return start(t, `CREATE TABLE accounts (token TEXT, login TEXT, pin TEXT, keys TEXT, version INTEGER);
		INSERT INTO accounts VALUES ('token-secret', '{"user":"ada","password":"old-secret"}', 'pin-secret', '["key-secret"]', 1)`,
		func(server *mcp.Server, guard *runtime.Guard, db *sql.DB) error {
			return accounts.Register(server, guard, accounts.Config{Operations: accountBodies{db}, Main: db})
		})
}

func TestSensitiveValuesAreShownAsChangedAndNeverTold(t *testing.T) {
	t.Parallel()
	w := startAccounts(t)
	told := &strings.Builder{}
	tell := func() { told.Write(w.wire.last()) }

	previewed := w.call(t, "preview_change_login", `{"token":"token-secret","login":{"user":"bo","password":"new-secret"},"pin":null,
		"logins":[{"user":"cy","password":"cy-secret"}],"extra":{"k1":"extra-secret"},"raw":{"key":"raw-secret"}}`)
	tell()
	want := []string{
		"token|||unchanged",
		`login/password|||changed`, `login/user|"ada"|"bo"|`,
		"pin|||changed",
		`login of cy/password|||changed`, `login of cy/user||"cy"|`, "password of cy|||changed",
		"extra/k1|||changed", "raw|||changed",
	}
	if diff := cmp.Diff(want, w.seen(t)); diff != "" {
		t.Errorf("%+v (-want +got):\n%s", previewed, diff)
	}
	applied := w.apply(t, "change_login", previewed)
	if tell(); applied.Status != "applied" {
		t.Fatalf("apply: %+v", applied)
	}
	if got, want := w.column(t, "SELECT login FROM accounts"), `{"password":"new-secret","user":"bo"}`; got != want {
		t.Errorf("applied is %s, want %s", got, want)
	}
	w.call(t, "get_change_status", `{"change_id":"`+applied.ChangeID+`"}`)
	tell()
	w.undo(t, "change_login", applied)
	tell()
	w.call(t, "preview_change_login", `{"token":"token-secret","login":{"user":"bo","password":"not","unknown":"unknown-secret"},"logins":[]}`)
	tell()
	if _, secret, found := strings.Cut(told.String()+w.log.String(), "-secret"); found {
		t.Errorf("something sensitive was told before %.200s", secret)
	}
}

func TestAutoHidesWhatIsSensitiveOnEitherSide(t *testing.T) {
	t.Parallel()
	w := startAccounts(t)
	w.call(t, "preview_change_pin", `{"token":"token-secret","pin":"pin-secret","login":{"user":"ada","password":"new-secret"}}`)
	want := []string{`token|"token-secret"|"token-secret"|`, "pin|||unchanged", "login/password|||changed"}
	if diff := cmp.Diff(want, w.seen(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A caller who repeats a plain value as a sensitive one hides it from nobody.
func TestRepeatedValuesAreShownWhereTheyAreNotMarked(t *testing.T) {
	t.Parallel()
	w := startAccounts(t)
	w.call(t, "preview_change_login", `{"token":"token-secret","login":{"user":"administrator","password":"administrator"},
		"logins":[],"extra":{"user":"administrator"},"others":{"user":{"a/b":{"user":"administrator","password":"admi"}},"none":null}}`)
	want := []string{
		"token|||unchanged", "login/password|||changed", `login/user|"ada"|"administrator"|`, "extra/user|||changed",
		"others/none||null|", "others/user/a~1b/password|||changed", `others/user/a~1b/user||"administrator"|`,
	}
	if diff := cmp.Diff(want, w.seen(t)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestClientsAreNotToldWhatIsSensitive(t *testing.T) {
	t.Parallel()
	w := startAccounts(t)
	for tool, err := range w.client.Tools(t.Context(), nil) {
		check(t, "list tools", err)
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if listed, err := json.Marshal(schema); err != nil || strings.Contains(string(listed), "x-sensitive") {
				t.Errorf("%s is listed with x-sensitive (%v)", tool.Name, err)
			}
		}
	}
}
