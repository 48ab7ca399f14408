package runtime_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// beyondDouble is an integer that a double cannot hold.
const beyondDouble = "9007199254740993"

type (
	limitPayload struct {
		AccountID int64   `json:"account_id"`
		Note      *string `json:"note,omitzero"`
	}
	limitState struct {
		AccountID int64 `json:"account_id"`
	}
	limitOperation = runtime.Operation[*limitPayload, *limitState, *limitState]
)

const limitSchemas = `{
  "set_account.payload": {"type": "object", "required": ["account_id"], "properties": {"account_id": {"type": "integer"}%s}, "unevaluatedProperties": false},
  "set_account.result": {"type": "object", "required": ["account_id"], "properties": {"account_id": {"type": "integer"}}, "unevaluatedProperties": false},
  "account.state": {"type": "object", "required": ["account_id"], "properties": {"account_id": {"type": "integer"}}, "unevaluatedProperties": false}
}`

func newLimitOperation(db *sql.DB) *limitOperation {
	return &limitOperation{
		Meta: runtime.Meta{Name: "set_account", Resource: "account", Digest: "sha256:1", UndoDigest: "sha256:1"},
		Observe: func(ctx context.Context, _ *limitPayload) (*limitState, error) {
			var s limitState
			found, err := sqlop.One(ctx, db, `SELECT account_id FROM accounts`, nil, sqlop.Integer("account_id", &s.AccountID))
			if !found {
				return nil, err
			}
			return &s, nil
		},
		Summary: func(c *runtime.Change[*limitPayload, *limitState]) string {
			return runtime.Textf("Use account %v", c.Payload.AccountID)
		},
		Diff: func(c *runtime.Change[*limitPayload, *limitState]) []runtime.Row {
			return []runtime.Row{{Label: "account_id", Before: c.State.AccountID, After: c.Payload.AccountID}}
		},
		Apply: func(ctx context.Context, c *runtime.Change[*limitPayload, *limitState]) (*limitState, error) {
			err := sqlop.ExecOne(ctx, db, `UPDATE accounts SET account_id = ?`, c.Payload.AccountID)
			return &limitState{AccountID: c.Payload.AccountID}, err
		},
	}
}

// An integer beyond 2^53 is the same on the wire, in the diff, in the ledger, in the table, and in the result, with and
// without a default elsewhere, which has the payload written out again.
func TestBigIntegersSurviveFromWireToTable(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]string{"without a default": "", "with a default": `, "note": {"type": "string", "default": "none"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if _, err := w.target.Exec(`CREATE TABLE accounts (account_id INTEGER); INSERT INTO accounts VALUES (1)`); err != nil {
				t.Fatal(err)
			}
			spec := runtime.Spec{Server: "settings", Schemas: fmt.Appendf(nil, limitSchemas, extra)}
			if err := w.guard.Register(w.server, spec, newLimitOperation(w.target)); err != nil {
				t.Fatal(err)
			}
			c := newRawClient(t, w)
			p := c.call(t, "preview_set_account", `{"account_id":`+beyondDouble+`}`)
			if p.Summary != "Use account "+beyondDouble || string(p.Diff[0].After) != beyondDouble || !strings.Contains(p.text, beyondDouble) {
				t.Errorf("preview: %s\n%s", p.raw, p.text)
			}
			if kept := w.record(t, p.ChangeID); !bytes.Contains(kept.Payload, []byte(beyondDouble)) {
				t.Errorf("payload in the ledger: %s", kept.Payload)
			}
			a := c.call(t, "apply_set_account", fmt.Sprintf(`{"change_id":%q,"confirmation_token":%q}`, p.ChangeID, p.ConfirmationToken))
			if string(a.Result) != `{"account_id":`+beyondDouble+`}` || !strings.Contains(a.text, beyondDouble) {
				t.Errorf("apply: %s\n%s", a.raw, a.text)
			}
			var stored string
			if err := w.target.QueryRow(`SELECT CAST(account_id AS TEXT) FROM accounts`).Scan(&stored); err != nil || stored != beyondDouble {
				t.Errorf("the table has %s, %v", stored, err)
			}
			again := c.call(t, "preview_set_account", `{"account_id":1}`)
			if string(again.Diff[0].Before) != beyondDouble {
				t.Errorf("preview of another: %s", again.raw)
			}
		})
	}
}

// Two texts that are not the same never share an approval, and what is no text is refused.
func TestInvalidTextIsRefusedAtPreview(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := newRawClient(t, w)
	for name, value := range map[string]string{
		"reversed surrogates": `"\ude00\ud83d"`, "a byte that is no UTF-8": "\"\xff\"", "a lone surrogate": `"\ud800"`,
	} {
		r := c.call(t, "preview_set_setting", `{"key":"theme","value":`+value+`}`)
		wantRefused(t, r, "invalid_payload")
		if len(r.Violations) != 1 || r.Violations[0].Pointer != "/value" || !strings.Contains(r.text, "invalid text") {
			t.Errorf("%s: %s", name, r.raw)
		}
	}
	p := c.call(t, "preview_set_setting", `{"key":"theme","value":"\ufffd"}`)
	q := c.call(t, "preview_set_setting", `{"key":"theme","value":"\ufffd\ufffd"}`)
	if p.Status != "preview" || q.Status != "preview" {
		t.Fatalf("%s\n%s", p.raw, q.raw)
	}
	wantRefused(t, w.apply(t, q.ChangeID, p.ConfirmationToken), "invalid_token")
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.value(t, "theme") != "\ufffd" {
		t.Errorf("%s", a.raw)
	}
}

// A name that only looks like another one never changes what was approved.
func TestNamesMatchExactly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := newRawClient(t, w)
	for _, arguments := range []string{
		`{"key":"theme","value":"dark","Value":"evil"}`, `{"key":"theme","value":"dark","VALUE":"evil"}`,
		`{"key":"theme","value":"dark","\u212aey":"language"}`, `{"Key":"theme","value":"dark"}`,
		`{"key":"theme","value":"dark","value":"evil"}`, `{"key":"theme","value":"dark","v\u0061lue":"evil"}`,
	} {
		wantRefused(t, c.call(t, "preview_set_setting", arguments), "invalid_payload")
	}
}

// In an open payload such a name is another member, and no more.
func TestNamesMatchExactlyInAnOpenPayload(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.spec.Schemas = []byte(strings.ReplaceAll(schemaFile, `"unevaluatedProperties": false`, `"unevaluatedProperties": true`))
	})
	c := newRawClient(t, w)
	p := c.call(t, "preview_set_setting", `{"key":"theme","value":"dark","Value":"evil","\u212aey":"language"}`)
	if string(p.Diff[0].After) != `"dark"` {
		t.Fatalf("%s", p.raw)
	}
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.value(t, "theme") != "dark" || w.value(t, "language") != "en" {
		t.Errorf("%s, theme %s", a.raw, w.value(t, "theme"))
	}
}

func TestAbsurdNumbersAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := newRawClient(t, w)
	for _, value := range []string{`1e99999999999`, `1e-99999999999`, strings.Repeat("9", 500)} {
		r := c.call(t, "preview_set_setting", `{"key":"theme","value":`+value+`}`)
		wantRefused(t, r, "invalid_payload")
		if len(r.Violations) == 0 || r.Violations[0].Pointer != "/value" {
			t.Errorf("%s", r.raw)
		}
	}
}

// rawClient sends bytes as they are, one line a call, as no client of an SDK would.
type rawClient struct {
	in     io.WriteCloser
	lines  *json.Decoder
	served *client // checks answers
	number int
}

func newRawClient(t *testing.T, w *world) *rawClient {
	t.Helper()
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	session, err := w.server.Connect(context.Background(), &mcp.IOTransport{Reader: fromClient, Writer: toClient}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = toServer.Close()
		_ = fromServer.Close()
		_ = session.Wait()
	})
	c := &rawClient{in: toServer, lines: json.NewDecoder(fromServer), served: w.connect(t)}
	c.send(t, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"raw","version":"1"}}`)
	if _, err := io.WriteString(c.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *rawClient) call(t *testing.T, tool, arguments string) reply {
	t.Helper()
	r, err := readReply(c.send(t, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)))
	if err != nil {
		t.Fatal(err)
	}
	c.served.check(t, tool, r)
	return r
}

func (c *rawClient) send(t *testing.T, method, params string) json.RawMessage {
	t.Helper()
	c.number++
	if _, err := fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", c.number, method, params); err != nil {
		t.Fatal(err)
	}
	for {
		var response struct {
			ID     int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := c.lines.Decode(&response); err != nil {
			t.Fatal(err)
		}
		if response.ID != c.number {
			continue // a notification
		}
		if response.Error != nil {
			t.Fatalf("%s: %s", method, response.Error)
		}
		return response.Result
	}
}
