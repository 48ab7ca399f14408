package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/sqlop"
)

// The operation of these tests changes a credential, which is sensitive in what is asked, seen and returned.
type (
	credential struct {
		User   string `json:"user"`
		Secret string `json:"secret"`
		Pin    int64  `json:"pin"`
	}
	rotatePayload struct {
		Name       string      `json:"name"`
		Credential credential  `json:"credential"`
		Answers    []string    `json:"answers"`
		Extra      *credential `json:"extra,omitzero"`
	}
	rotateState struct {
		Credential credential `json:"credential"`
		Version    int64      `json:"version"`
	}
	rotateResult struct {
		Version int64  `json:"version"`
		Key     string `json:"key"`
	}
	rotateChange  = runtime.Change[*rotatePayload, *rotateState]
	rotateApplied = runtime.Applied[*rotatePayload, *rotateState, *rotateResult]
	rotate        = runtime.Operation[*rotatePayload, *rotateState, *rotateResult]
)

const rotateSchemas = `{
  "rotate.payload": {
    "type": "object", "required": ["name", "credential"], "unevaluatedProperties": false,
    "properties": {
      "name": {"type": "string"},
      "credential": {"$ref": "#/$defs/credential"},
      "answers": {"type": "array", "items": {"type": "string", "minLength": 3, "x-sensitive": true}, "default": []},
      "extra": {"anyOf": [{"$ref": "#/$defs/credential"}, {"type": "object", "required": ["none"], "properties": {"none": {"const": true}}}]}
    },
    "$defs": {"credential": {
      "type": "object", "required": ["user", "secret", "pin"], "unevaluatedProperties": false,
      "properties": {
        "user": {"type": "string"},
        "secret": {"type": "string", "maxLength": 100, "pattern": "^[^ ]+$", "x-sensitive": true},
        "pin": {"type": "integer", "x-sensitive": true}
      }
    }}
  },
  "rotate.result": {
    "type": "object", "required": ["version", "key"], "unevaluatedProperties": false,
    "properties": {"version": {"type": "integer"}, "key": {"type": "string", "minLength": 30, "x-sensitive": true, "description": "The new key."}}
  },
  "login.state": {
    "type": "object", "required": ["credential", "version"], "unevaluatedProperties": false,
    "properties": {"version": {"type": "integer"}, "credential": {
      "type": "object", "required": ["user", "secret", "pin"],
      "properties": {"user": {"type": "string"}, "secret": {"type": "string", "x-sensitive": true}, "pin": {"type": "integer", "x-sensitive": true}}
    }}
  }
}`

// What must be told nobody: as it was, as it is asked for, and what comes back.
const (
	oldSecret, newSecret = `0ld"s3cret<é>`, "n3w-s3cret&\u202e"
	oldPin, newPin       = 471147114711, 822882288228
	answerSecret         = "my-first-p3t"
	keySecret            = "k3y-k3y-k3y-k3y-k3y-k3y-k3y-k3y"
)

// vault is a target, a server over it, and everything that anybody was told.
type vault struct {
	*client
	store     ledger.Store
	guard     *runtime.Guard
	operation *rotate
	log       *syncBuffer
	sink      *syncBuffer

	mu      sync.Mutex
	current rotateState
	fail    func() error // what bodies end with
}

func (v *vault) look() *rotateState {
	v.mu.Lock()
	defer v.mu.Unlock()
	state := v.current
	return &state
}

func (v *vault) set(c credential) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.current = rotateState{Credential: c, Version: v.current.Version + 1}
}

// Record implements runtime.Sink.
func (v *vault) Record(_ context.Context, e runtime.Event) { _, _ = fmt.Fprintf(v.sink, "%+v\n", e) }

// newVault starts a server with writes on.
func newVault(t *testing.T, changes ...func(*rotate)) *vault {
	t.Helper()
	return newVaultOf(t, rotateSchemas, changes...)
}

func newVaultOf(t *testing.T, schemas string, changes ...func(*rotate)) *vault {
	t.Helper()
	v := &vault{}
	v.current = rotateState{Credential: credential{"ann", oldSecret, oldPin}, Version: 1}
	v.operation = v.newOperation()
	for _, change := range changes {
		change(v.operation)
	}
	v.start(t, schemas, v.operation)
	return v
}

// start starts the server of a vault with one operation.
func (v *vault) start(t *testing.T, schemas string, operation runtime.AnyOperation) {
	t.Helper()
	v.startIn(t, t.TempDir(), schemas, operation)
}

// startIn is start with the ledger in a directory of the test.
func (v *vault) startIn(t *testing.T, directory, schemas string, operation runtime.AnyOperation) {
	t.Helper()
	v.log, v.sink = &syncBuffer{}, &syncBuffer{}
	v.store = openLedger(t, directory, &fakeClock{})
	var err error
	v.guard, err = runtime.NewGuard(t.Context(), runtime.Options{
		Store: unasked{v.store}, WriteMode: runtime.Guarded, Sink: v, Timeout: patience, ShutdownGrace: patience,
		Logger: slog.New(slog.NewJSONHandler(v.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = v.guard.Close(context.Background()) })
	server := mcp.NewServer(&mcp.Implementation{Name: "vault", Version: "1"}, nil)
	spec := runtime.Spec{Server: "vault", Schemas: []byte(schemas)}
	if err := v.guard.Register(server, spec, operation); err != nil {
		t.Fatal(err)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(context.Background(), there, nil); err != nil {
		t.Fatal(err)
	}
	v.client = connect(t, here)
}

func (v *vault) newOperation() *rotate {
	return &rotate{
		Meta: runtime.Meta{Name: "rotate", Resource: "login", Bind: []string{"credential"}, Volatile: []string{"version"}, Digest: "d", UndoDigest: "u"},
		Observe: func(context.Context, *rotatePayload) (*rotateState, error) {
			return v.look(), nil
		},
		Summary: func(c *rotateChange) string { return runtime.Textf("Rotate %v", c.Payload.Name) },
		Loses:   func(*rotateChange) string { return "sessions that were opened" },
		Diff: func(c *rotateChange) []runtime.Row {
			was, now := c.State.Credential, c.Payload.Credential
			return []runtime.Row{
				{Label: "marked", Before: was.Secret, After: now.Secret, Sensitive: true},
				{Label: "marked and equal", Before: now.Pin, After: now.Pin, Sensitive: true},
				{Label: "user", Before: was.User, After: now.User},
				{Label: "parts", Before: was, After: now, Hidden: []string{"/secret", "/pin"}},
				{Label: "parts that come", After: now, Hidden: []string{"/secret", "/pin"}},
				{Label: "list", After: c.Payload.Answers, Hidden: []string{"/*"}},
			}
		},
		Apply: func(ctx context.Context, c *rotateChange) (*rotateResult, error) {
			runtime.Progress(ctx, 1, 2, "sets "+c.Payload.Credential.Secret)
			if v.fail != nil {
				return nil, v.fail()
			}
			v.set(c.Payload.Credential)
			return &rotateResult{Version: v.look().Version, Key: keySecret}, nil
		},
		Undo: func(ctx context.Context, c *rotateApplied) error {
			runtime.Progress(ctx, 1, 2, "revokes "+c.Result.Key)
			if v.fail != nil {
				return v.fail()
			}
			v.set(c.Before.Credential)
			return nil
		},
	}
}

func asked() map[string]any {
	return map[string]any{
		"name": "login", "credential": map[string]any{"user": "ann", "secret": newSecret, "pin": newPin}, "answers": []string{answerSecret},
	}
}

// everything is all that anybody was told of the changes of a vault but for what the bodies were given.
func (v *vault) everything(t *testing.T, answers ...reply) map[string]string {
	t.Helper()
	places := map[string]string{"log": v.log.String(), "sink": v.sink.String(), "stream": v.wire.stream.String()}
	for i, r := range answers {
		places[fmt.Sprintf("answer %d (%s %s)", i, r.Status, r.Code)] = r.text + string(r.wireHalf) + string(r.raw)
	}
	operator, err := runtime.NewOperator(v.store, runtime.Decider{Name: "ann", Channel: "test"})
	if err != nil {
		t.Fatal(err)
	}
	records, err := v.store.List(t.Context(), ledger.Query{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		program, people := v.readChange(t, r.ID)
		status := v.call(t, "get_change_status", map[string]string{"change_id": r.ID})
		view, err := operator.Get(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		events, err := v.store.Events(t.Context(), r.ID)
		if err != nil {
			t.Fatal(err)
		}
		shown, err := json.Marshal(view)
		if err != nil {
			t.Fatal(err)
		}
		places["change "+r.ID] = program + people + status.text + string(status.wireHalf) + string(shown) + strings.Join(view.Lines, "\n") +
			fmt.Sprint(events) + string(r.Shown) + r.Message + r.Error + r.DoubtReason + string(r.Sensitive) + string(r.SensitiveNow)
	}
	return places
}

// wantSecret looks for everything sensitive.
func wantSecret(t *testing.T, places map[string]string) {
	t.Helper()
	wantNowhere(t, places, "s3cret", fmt.Sprint(oldPin), fmt.Sprint(newPin), answerSecret, "k3y-k3y")
}

// wantNowhere looks for what must be told nobody.
func wantNowhere(t *testing.T, places map[string]string, parts ...string) {
	t.Helper()
	for where, text := range places {
		for _, part := range parts {
			if i := strings.Index(text, part); i >= 0 {
				t.Errorf("%s is in the %s: …%s…", part, where, text[max(0, i-200):min(len(text), i+60)])
			}
		}
	}
}

func TestSensitiveRowsSayOnlyWhetherTheyChange(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	p := v.call(t, "preview_rotate", asked())
	got := map[string]string{}
	for _, row := range p.Diff {
		got[row.Field] = row.Sensitive
		if row.Sensitive == "" {
			got[row.Field] = fmt.Sprintf("%s -> %s", row.Before, row.After)
		}
	}
	want := map[string]string{
		"marked": "changed", "marked and equal": "unchanged", "user": `"ann" -> "ann"`, "parts/pin": "changed", "parts/secret": "changed",
		"parts that come/pin": "changed", "parts that come/secret": "changed", "parts that come/user": ` -> "ann"`, "list/0": "changed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if !strings.Contains(p.text, "parts/pin: changed (its value is not shown)") {
		t.Errorf("%s", p.text)
	}
	wantSecret(t, v.everything(t, p))
}

// What is sensitive is given to the bodies, and told nobody, whatever happens to the change.
func TestSensitiveValuesAreToldNobody(t *testing.T) {
	t.Parallel()
	secret := fmt.Sprintf("said %s, %q, %d and %s", newSecret, oldSecret, int64(newPin), answerSecret)
	for name, fail := range map[string]func() error{
		"plain error":    func() error { return errors.New(secret) },
		"proof":          func() error { return runtime.NotApplied(fmt.Errorf("wrapped: %w", io.ErrUnexpectedEOF)) },
		"refusal":        func() error { return runtime.NotApplied(runtime.Refuse("%s", secret)) },
		"conflict":       func() error { return runtime.Conflict("%s", secret) },
		"doubt":          func() error { return runtime.InDoubt(runtime.Refuse("%s", secret)) },
		"unsure":         func() error { return runtime.InDoubt(errors.New(secret)) },
		"panic":          func() error { panic(secret) },
		"panic of error": func() error { panic(errors.New(secret)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVault(t)
			v.fail = fail
			p := v.call(t, "preview_rotate", asked())
			r := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			if r.Status != "refused" {
				t.Fatalf("%s", r.raw)
			}
			again := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			v.fail = nil
			p = v.call(t, "preview_rotate", asked())
			a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			if a.Status != "applied" {
				t.Fatalf("%s", a.raw)
			}
			v.fail = fail
			u := v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": a.UndoToken})
			wantSecret(t, v.everything(t, p, r, again, a, u))
			if name == "plain error" && r.Message != "The apply failed (*errors.errorString)." {
				t.Errorf("%s", r.Message)
			}
			if name == "panic" && !strings.Contains(r.Message, "panic (string)") {
				t.Errorf("%s", r.Message)
			}
		})
	}
}

func TestSensitiveResultIsToldAsOne(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	p := v.call(t, "preview_rotate", asked())
	a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	again := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	for _, r := range []reply{a, again} {
		if string(r.Result) != `{"key":"(sensitive)","version":2}` {
			t.Errorf("result: %s", r.Result)
		}
	}
	if c := v.look().Credential; c != (credential{"ann", newSecret, newPin}) {
		t.Errorf("the body was given %+v", c)
	}
	v.set(credential{"bob", "an0ther-s3cret", oldPin})
	u := v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": again.UndoToken})
	wantRefused(t, u, "state_changed")
	want := []changeReply{
		{Field: "/credential/pin", Sensitive: true}, {Field: "/credential/secret", Sensitive: true},
		{Field: "/credential/user", Was: []byte(`"ann"`), Now: []byte(`"bob"`)},
	}
	if diff := cmp.Diff(want, u.Changed); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantSecret(t, v.everything(t, p, a, again, u))
	v.set(credential{"ann", newSecret, newPin})
	u = v.call(t, "undo_rotate", map[string]string{"change_id": p.ChangeID, "undo_token": again.UndoToken})
	if c := v.look().Credential; u.Status != "undone" || c != (credential{"ann", oldSecret, oldPin}) {
		t.Errorf("%s, %+v", u.raw, c)
	}
	wantSecret(t, v.everything(t, u))
	for _, tool := range v.tools(t) {
		if schemas := fmt.Sprint(tool.InputSchema, tool.OutputSchema); strings.Contains(schemas, "x-sensitive") {
			t.Errorf("%s hands out %s", tool.Name, schemas)
		}
	}
}

func TestSensitivePayloadThatIsWrongIsToldWithoutItsValue(t *testing.T) {
	t.Parallel()
	credentialOf := func(c map[string]any) map[string]any { return map[string]any{"name": "login", "credential": c} }
	v := newVault(t)
	for _, arguments := range map[string]any{
		"pattern":             credentialOf(map[string]any{"user": "a", "secret": newSecret + " ", "pin": 1}),
		"type":                credentialOf(map[string]any{"user": "a", "secret": []string{newSecret}, "pin": fmt.Sprint(newPin)}),
		"another name":        credentialOf(map[string]any{"user": "a", "Secret": newSecret, "pin": newPin}),
		"another place":       map[string]any{"name": "login", "credential": newSecret},
		"items":               map[string]any{"name": "login", "credential": 1, "answers": []any{answerSecret, 1, "s3cret", map[string]string{answerSecret: answerSecret}}},
		"a branch":            map[string]any{"name": "login", "extra": map[string]any{"secret": newSecret, "pin": newPin}},
		"number that is none": `{"name":"login","credential":{"pin":` + fmt.Sprint(newPin) + `e99999}}`,
		"no JSON":             `{"name":"login","credential":{"secret":"` + "n3w-s3cret\\ud800" + `"}}`,
	} {
		r := v.call(t, "preview_rotate", arguments)
		wantRefused(t, r, "invalid_payload")
		wantSecret(t, v.everything(t, r))
	}
}

func TestLooksThatFailTellNothingSensitive(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*rotate){
		"look": func(o *rotate) {
			o.Observe = func(_ context.Context, p *rotatePayload) (*rotateState, error) {
				return nil, fmt.Errorf("no login with %s", p.Credential.Secret)
			}
		},
		"look that repeats what it saw": func(o *rotate) {
			o.Observe = func(context.Context, *rotatePayload) (*rotateState, error) {
				return nil, fmt.Errorf("look: %w", &sqlop.ColumnError{Column: "key", Flaw: "holds " + keySecret, Advice: "cast it"})
			}
		},
		"state that breaks its schema": func(o *rotate) {
			o.Observe = func(context.Context, *rotatePayload) (*rotateState, error) {
				return &rotateState{Credential: credential{User: "ann", Secret: keySecret + "\xff"}}, nil
			}
		},
		"look that panics with what it saw": func(o *rotate) {
			o.Observe = func(context.Context, *rotatePayload) (*rotateState, error) { panic(keySecret) }
		},
		"look that refuses": func(o *rotate) {
			o.Observe = func(_ context.Context, p *rotatePayload) (*rotateState, error) {
				return nil, runtime.Refuse("no login with %s", p.Credential.Secret)
			}
		},
		"prepare": func(o *rotate) {
			o.Prepare = func(_ context.Context, p *rotatePayload) (*rotatePayload, error) {
				return nil, fmt.Errorf("%s is weak", p.Credential.Secret)
			}
		},
		"prepare that breaks the schema": func(o *rotate) {
			o.Prepare = func(_ context.Context, p *rotatePayload) (*rotatePayload, error) {
				p.Credential.Secret += " "
				return p, nil
			}
		},
		"summary that panics": func(o *rotate) { o.Summary = func(c *rotateChange) string { panic(c.State.Credential) } },
		"row that has no JSON": func(o *rotate) {
			o.Diff = func(c *rotateChange) []runtime.Row {
				return []runtime.Row{{Label: c.Payload.Credential.Secret, After: func() {}}}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := newVault(t, change)
			r := v.call(t, "preview_rotate", asked())
			if r.Status != "refused" {
				t.Errorf("%s", r.raw)
			}
			wantSecret(t, v.everything(t, r))
			if says := `column \"key\" does not hold what it should; cast it`; name == "look that repeats what it saw" && !strings.Contains(v.log.String(), says) {
				t.Errorf("the log does not say %q: %s", says, v.log.String())
			}
		})
	}
}

// Whoever has the ledger without its key cannot find a short secret by trying all of them.
func TestHashesOfSensitiveChangesAreKeyed(t *testing.T) {
	t.Parallel()
	one, other := newVault(t), newVault(t)
	p, again, elsewhere := one.call(t, "preview_rotate", asked()), one.call(t, "preview_rotate", asked()), other.call(t, "preview_rotate", asked())
	for _, hashes := range [][3]string{
		{p.PayloadHash, again.PayloadHash, elsewhere.PayloadHash}, {p.ShownDigest, again.ShownDigest, elsewhere.ShownDigest},
	} {
		if !strings.HasPrefix(hashes[0], "hmac-sha256:") || hashes[0] != hashes[1] || hashes[0] == hashes[2] {
			t.Errorf("%q", hashes)
		}
	}
	plain := newWorld(t).preview(t, "theme", "dark")
	if !strings.HasPrefix(plain.PayloadHash, "sha256:") || !strings.HasPrefix(plain.ShownDigest, "sha256:") {
		t.Errorf("%s", plain.raw)
	}
}

func TestRecordSaysWhereItIsSensitive(t *testing.T) {
	t.Parallel()
	v := newVault(t)
	p := v.call(t, "preview_rotate", asked())
	v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
	r, _, err := v.store.Get(t.Context(), p.ChangeID)
	if err != nil {
		t.Fatal(err)
	}
	const pins = `["/credential/pin","/credential/secret"]`
	if want := `{"payload":["/answers/0","/credential/pin","/credential/secret"],"state":` + pins + `}`; string(r.Sensitive) != want {
		t.Errorf("sensitive: %s, want %s", r.Sensitive, want)
	}
	if want := `{"after":` + pins + `,"before":` + pins + `,"result":["/key"]}`; string(r.SensitiveNow) != want {
		t.Errorf("sensitive now: %s, want %s", r.SensitiveNow, want)
	}
	plain := newWorld(t)
	if r := plain.record(t, plain.applied(t, "theme", "dark").ChangeID); r.Sensitive != nil || r.SensitiveNow != nil {
		t.Errorf("of nothing sensitive: %s %s", r.Sensitive, r.SensitiveNow)
	}
}

func TestProgressOfSensitiveChangesIsToldWithoutThem(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		v := newVault(t)
		p := v.call(t, "preview_rotate", asked())
		params := &mcp.CallToolParams{
			Name: "apply_rotate", Arguments: map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken},
		}
		params.SetProgressToken("token")
		if _, err := v.session.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		stream := v.wire.stream.String()
		if !strings.Contains(stream, "sets (sensitive)") {
			t.Errorf("the progress was not told: %s", stream)
		}
		wantSecret(t, map[string]string{"stream": stream})
	})
}
