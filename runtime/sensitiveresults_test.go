package runtime_test

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
)

// What is wrong with a result is told operators by its place: the value there may be a sensitive one.
func TestResultThatIsWrongIsToldWithoutItsValue(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		result rawResult
		says   string
	}{
		"breaks the schema":   {rawResult{version: `"` + answerSecret + `"`, key: keySecret}, "/version"},
		"breaks it by a mark": {rawResult{version: `2`, key: "k3y-k3y"}, "/key"},
		"panics":              {rawResult{panics: keySecret}, "panic"},
		"is no JSON":          {rawResult{version: answerSecret, key: keySecret}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := &vault{}
			v.current = rotateState{Credential: credential{"ann", oldSecret, oldPin}, Version: 1}
			v.start(t, rotateSchemas, resultOf(v, &test.result))
			p := v.call(t, "preview_rotate", asked())
			a := v.call(t, "apply_rotate", map[string]string{"change_id": p.ChangeID, "confirmation_token": p.ConfirmationToken})
			if a.Status != "applied" || a.Result != nil {
				t.Errorf("%s", a.raw)
			}
			if log := v.log.String(); !strings.Contains(log, "the result of the body is invalid") || !strings.Contains(log, test.says) {
				t.Errorf("the log does not say %q: %s", test.says, log)
			}
			wantSecret(t, v.everything(t, p, a))
		})
	}
}

// rawResult is a result that is written as it says.
type rawResult struct{ version, key, panics string }

// MarshalJSON implements json.Marshaler.
func (r *rawResult) MarshalJSON() ([]byte, error) {
	if r.panics != "" {
		panic(r.panics)
	}
	return []byte(`{"version":` + r.version + `,"key":"` + r.key + `"}`), nil
}

// UnmarshalJSON implements json.Unmarshaler: nobody reads what is not kept.
func (r *rawResult) UnmarshalJSON([]byte) error { return nil }

// resultOf is an operation whose body returns that.
func resultOf(v *vault, result *rawResult) runtime.AnyOperation {
	return &runtime.Operation[*rotatePayload, *rotateState, *rawResult]{
		Meta:    v.newOperation().Meta,
		Observe: func(context.Context, *rotatePayload) (*rotateState, error) { return v.look(), nil },
		Apply:   func(context.Context, *rotateChange) (*rawResult, error) { return result, nil },
	}
}

// What an author's code makes of a payload may repeat its sensitive values where nothing is marked.
func TestPreparedPayloadThatIsWrongIsToldWithoutItsValue(t *testing.T) {
	t.Parallel()
	schemas := strings.Replace(rotateSchemas, `"name": {"type": "string"}`, `"name": {"type": "string", "pattern": "^l"}`, 1)
	v := newVaultOf(t, schemas, func(o *rotate) {
		o.Prepare = func(_ context.Context, p *rotatePayload) (*rotatePayload, error) {
			p.Name = p.Answers[0]
			return p, nil
		}
	})
	r := v.call(t, "preview_rotate", asked())
	wantRefused(t, r, "prepare_failed")
	if len(r.Violations) != 1 || r.Violations[0].Pointer != "/name" || !strings.Contains(r.Violations[0].Expected, "^l") {
		t.Errorf("%s", r.raw)
	}
	wantSecret(t, v.everything(t, r))
}

// A look reads what nobody knows to be sensitive yet, and may say so while it does.
func TestProgressOfALookAtSensitiveValuesHasNoText(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T) {
		v := &vault{}
		v.current = rotateState{Credential: credential{"ann", oldSecret, oldPin}, Version: 1}
		operation := v.newOperation()
		operation.Observe = func(ctx context.Context, _ *rotatePayload) (*rotateState, error) {
			s := v.look()
			runtime.Progress(ctx, 1, 2, "it holds "+s.Credential.Secret)
			return s, nil
		}
		v.start(t, rotateSchemas, operation)
		params := &mcp.CallToolParams{Name: "preview_rotate", Arguments: asked()}
		params.SetProgressToken("token")
		if _, err := v.session.CallTool(t.Context(), params); err != nil {
			t.Fatal(err)
		}
		stream := v.wire.stream.String()
		if !strings.Contains(stream, `"progressToken":"token"`) || strings.Contains(stream, "it holds") {
			t.Errorf("the progress was not told, or its text: %s", stream)
		}
		wantSecret(t, map[string]string{"stream": stream})
	})
}
