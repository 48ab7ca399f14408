package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/exact"
)

// preparing makes a world whose operation prepares payloads, and counts how often.
func preparing(t *testing.T, prepare func(context.Context, *setPayload) (*setPayload, error)) (w *world, runs *int) {
	t.Helper()
	runs = new(int)
	w = newWorld(t, func(w *world) {
		w.operation.Prepare = func(ctx context.Context, p *setPayload) (*setPayload, error) {
			*runs++
			return prepare(ctx, p)
		}
	})
	return w, runs
}

func trim(_ context.Context, p *setPayload) (*setPayload, error) {
	p.Value = strings.TrimSpace(p.Value)
	return p, nil
}

func TestWhatIsPreparedIsShownStoredAndRun(t *testing.T) {
	t.Parallel()
	w, runs := preparing(t, trim)
	p := w.preview(t, "theme", "  dark ")
	if p.Summary != "Set theme to dark" || string(p.Diff[0].After) != `"dark"` {
		t.Errorf("shown: %s", p.raw)
	}
	r := w.record(t, p.ChangeID)
	if string(r.Payload) != `{"key":"theme","value":"dark"}` || r.PayloadHash != exact.Hash(r.Payload) {
		t.Errorf("stored: %s, %s", r.Payload, r.PayloadHash)
	}
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if a.Status != "applied" || w.value(t, "theme") != "dark" {
		t.Errorf("ran: %s; the setting is %q", a.raw, w.value(t, "theme"))
	}
	if u := w.undo(t, p.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Errorf("undone: %s; the setting is %q", u.raw, w.value(t, "theme"))
	}
	if *runs != 1 {
		t.Errorf("prepared %d times", *runs)
	}
}

func TestPrepareRunsOnceThoughItGivesAnotherPayloadEachTime(t *testing.T) {
	t.Parallel()
	w, _ := preparing(t, func(_ context.Context, p *setPayload) (*setPayload, error) {
		p.Value += "x"
		return p, nil
	})
	p := w.preview(t, "theme", "dark")
	w.restart(t)
	if a := w.apply(t, p.ChangeID, p.ConfirmationToken); a.Status != "applied" || w.value(t, "theme") != "darkx" {
		t.Errorf("%s; the setting is %q", a.raw, w.value(t, "theme"))
	}
}

func TestAPreparedPayloadDecidesWhatIsLookedAt(t *testing.T) {
	t.Parallel()
	w, _ := preparing(t, func(_ context.Context, p *setPayload) (*setPayload, error) {
		return &setPayload{Key: "language", Value: p.Value}, nil
	})
	p := w.preview(t, "theme", "fr")
	if p.Summary != "Set language to fr" || string(p.Diff[0].Before) != `"en"` {
		t.Errorf("shown: %s", p.raw)
	}
	if w.apply(t, p.ChangeID, p.ConfirmationToken); w.value(t, "language") != "fr" || w.value(t, "theme") != "light" {
		t.Errorf("the settings are %q and %q", w.value(t, "language"), w.value(t, "theme"))
	}
}

func TestAPayloadThatCannotBePreparedIsRefused(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		prepare func(context.Context, *setPayload) (*setPayload, error)
		code    runtime.Code
		says    string
	}{
		"the author's refusal": {
			func(_ context.Context, p *setPayload) (*setPayload, error) {
				return nil, runtime.Refuse("nobody is called %s", p.Value)
			}, runtime.CodeRefused, "nobody is called dark",
		},
		"another error": {
			func(context.Context, *setPayload) (*setPayload, error) { return nil, errors.New("password: secret") },
			runtime.CodePrepareFailed, "errorString",
		},
		"a panic": {
			func(context.Context, *setPayload) (*setPayload, error) { panic("boom") },
			runtime.CodePrepareFailed, "panic",
		},
		"a payload that breaks its schema": {
			func(context.Context, *setPayload) (*setPayload, error) { return &setPayload{Key: "theme"}, nil },
			runtime.CodePrepareFailed, "does not fit the schema",
		},
		"no payload": {
			func(context.Context, *setPayload) (*setPayload, error) { return nil, nil },
			runtime.CodePrepareFailed, "does not fit the schema",
		},
		"a payload that is no text": {
			func(context.Context, *setPayload) (*setPayload, error) {
				return &setPayload{Key: "theme", Value: "\xff"}, nil
			}, runtime.CodePrepareFailed, "does not fit the schema",
		},
		"no answer in time": {
			func(ctx context.Context, _ *setPayload) (*setPayload, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			}, runtime.CodePrepareFailed, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.operation.Prepare = test.prepare
				if name == "no answer in time" {
					w.operation.Timeout = time.Millisecond
				}
			})
			r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "dark"})
			if r.Code != string(test.code) || !strings.Contains(r.Message, test.says) || strings.Contains(r.text, "secret") {
				t.Errorf("got %s", r.raw)
			}
			if w.writes(t) != 0 {
				t.Error("something was written")
			}
		})
	}
}

func TestAgentIsToldWhatIsWrongWithAPreparedPayload(t *testing.T) {
	t.Parallel()
	w, _ := preparing(t, trim)
	r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "  "})
	if r.Code != string(runtime.CodePrepareFailed) || len(r.Violations) != 1 || r.Violations[0].Pointer != "/value" {
		t.Errorf("got %s", r.raw)
	}
}

func TestAPayloadIsCheckedBeforeItIsPrepared(t *testing.T) {
	t.Parallel()
	w, runs := preparing(t, trim)
	r := w.call(t, "preview_set_setting", map[string]string{"key": "colour", "value": "dark"})
	if r.Code != string(runtime.CodeInvalidPayload) || *runs != 0 {
		t.Errorf("prepared %d times: %s", *runs, r.raw)
	}
}

func TestPreparingKeepsDigits(t *testing.T) {
	t.Parallel()
	type amount struct {
		N json.Number `json:"n"`
	}
	w := newWorld(t)
	op := &runtime.Operation[*amount, *runtime.None, *runtime.None]{
		Meta:    runtime.Meta{Name: "pay", Digest: "d", UndoDigest: "u"},
		Prepare: func(_ context.Context, p *amount) (*amount, error) { return p, nil },
		Summary: func(c *runtime.Change[*amount, *runtime.None]) string { return runtime.Textf("Pay %v", c.Payload.N) },
		Apply: func(context.Context, *runtime.Change[*amount, *runtime.None]) (*runtime.None, error) {
			return nil, nil
		},
	}
	spec := runtime.Spec{Server: "payments", Schemas: []byte(`{"pay.payload":{"type":"object","properties":{"n":{"type":"number"}}}}`)}
	if err := w.guard.Register(w.server, spec, op); err != nil {
		t.Fatal(err)
	}
	p := w.call(t, "preview_pay", `{"n":9007199254740993.10}`)
	if got := string(w.record(t, p.ChangeID).Payload); got != `{"n":9007199254740993.1}` {
		t.Errorf("stored %s", got)
	}
}
