package runtime_test

import (
	"context"
	"errors"
	"fmt"
	goruntime "runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

type next = func(context.Context) runtime.Outcome

func intercepted(all ...runtime.Interceptor) func(*world) {
	return func(w *world) { w.options.Interceptors = all }
}

func TestInterceptorsSeeEveryStepFromTheOutsideIn(t *testing.T) {
	t.Parallel()
	var seen []string
	watch := func(name string) runtime.Interceptor {
		return func(ctx context.Context, s runtime.Step, next next) error {
			seen = append(seen, fmt.Sprintf("%s begins %s of %s", name, s.Kind, s.Operation))
			out := next(ctx)
			seen = append(seen, fmt.Sprintf("%s ends %s: %s", name, s.Kind, out.Status))
			return nil
		}
	}
	w := newWorld(t, intercepted(watch("outer"), watch("inner")))
	a := w.applied(t, "theme", "dark")
	w.undo(t, a.ChangeID, a.UndoToken)
	var want []string
	for _, kind := range [][2]string{{"preview", "preview"}, {"apply", "applied"}, {"undo", "undone"}} {
		want = append(want, fmt.Sprintf("outer begins %s of set_setting", kind[0]), fmt.Sprintf("inner begins %s of set_setting", kind[0]),
			fmt.Sprintf("inner ends %s: %s", kind[0], kind[1]), fmt.Sprintf("outer ends %s: %s", kind[0], kind[1]))
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}

func TestInterceptorIsToldOfTheCallAndItsOutcome(t *testing.T) {
	t.Parallel()
	for style, toolStyle := range map[string]runtime.ToolStyle{"own tools": runtime.PerOperation, "shared tools": runtime.SharedTools} {
		t.Run(style, func(t *testing.T) {
			t.Parallel()
			var steps []runtime.Step
			var outcomes []runtime.Outcome
			w := newWorld(t, intercepted(func(ctx context.Context, s runtime.Step, next next) error {
				delete(s.Meta, "progressToken")
				steps, outcomes = append(steps, s), append(outcomes, next(ctx))
				return nil
			}), func(w *world) { w.spec.Tools = toolStyle })
			tool := "apply_set_setting"
			if toolStyle == runtime.SharedTools {
				tool = "apply_change"
			}
			p := w.preview(t, "theme", "dark")
			_, err := w.session.CallTool(t.Context(), &mcp.CallToolParams{
				Name: tool, Arguments: map[string]string{"change_id": p.ChangeID, "confirmation_token": "confirm_x"}, Meta: mcp.Meta{"trace": "7"},
			})
			if err != nil {
				t.Fatal(err)
			}
			w.call(t, tool, map[string]string{"change_id": p.ConfirmationToken, "confirmation_token": p.ChangeID})
			apply := runtime.Step{Kind: runtime.StepApply, Tool: tool, Server: "settings", Operation: "set_setting", ChangeID: p.ChangeID}
			wrong := runtime.Step{Kind: runtime.StepApply, Tool: tool} // the token is no id
			if toolStyle == runtime.PerOperation {
				wrong.Server, wrong.Operation = "settings", "set_setting"
			}
			if diff := cmp.Diff("7", steps[1].Meta["trace"]); diff != "" {
				t.Errorf("the metadata: %s", diff)
			}
			steps[0].Meta, steps[1].Meta, steps[2].Meta = nil, nil, nil
			if diff := cmp.Diff([]runtime.Step{apply, wrong}, steps[1:]); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]runtime.Outcome{
				{Status: "preview", ChangeID: p.ChangeID},
				{Status: "refused", Code: "invalid_token", ChangeID: p.ChangeID},
				{Status: "refused", Code: "unknown_change"},
			}, outcomes); diff != "" {
				t.Errorf("outcomes (-want +got):\n%s", diff)
			}
			if text := fmt.Sprint(steps, outcomes); strings.Contains(text, strings.TrimPrefix(p.ConfirmationToken, "confirm_")) {
				t.Errorf("an interceptor saw a token: %s", text)
			}
		})
	}
}

// A refusal comes before the claim: the token is as good as before.
func TestInterceptorThatDoesNotGoOnRefuses(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		stop    func() error
		code    string
		message string
	}{
		"refusal":            {func() error { return runtime.Refuse("no changes on Fridays") }, "refused", "no changes on Fridays"},
		"any other error":    {func() error { return errors.New("hunter2") }, "refused", "This server refused the call (*errors.errorString)."},
		"conflict":           {func() error { return runtime.Conflict("no") }, "refused", "no"},
		"nothing":            {func() error { return nil }, "internal", ""},
		"panic":              {func() error { panic("hunter2") }, "internal", ""},
		"end of a goroutine": {func() error { goruntime.Goexit(); return nil }, "internal", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopped := false
			w := newWorld(t, intercepted(func(ctx context.Context, _ runtime.Step, next next) error {
				if stopped {
					return test.stop()
				}
				next(ctx)
				return nil
			}))
			p := w.preview(t, "theme", "dark")
			stopped = true
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, r, test.code)
			if test.message != "" && r.Message != test.message || strings.Contains(r.text, "hunter2") {
				t.Errorf("%s", r.raw)
			}
			wantRefused(t, w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "blue"}), test.code)
			if kept := w.record(t, p.ChangeID); kept.Status != ledger.Pending || kept.Revision != 1 || w.writes(t) != 0 {
				t.Errorf("%s, revision %d, %d bodies ran", kept.Status, kept.Revision, w.writes(t))
			}
			stopped = false
			a := w.apply(t, p.ChangeID, p.ConfirmationToken)
			if a.Status != "applied" {
				t.Fatalf("the same call afterwards: %s", a.raw)
			}
			stopped = true
			wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), test.code)
			if kept := w.record(t, p.ChangeID); kept.Status != ledger.Applied {
				t.Errorf("after a refused undo: %s", kept.Status)
			}
		})
	}
}

// What is written is written, whatever an interceptor says afterwards.
func TestInterceptorThatFailsAfterTheFactChangesNothing(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func() error{
		"refusal":            func() error { return runtime.Refuse("too late") },
		"panic":              func() error { panic("hunter2") },
		"end of a goroutine": func() error { goruntime.Goexit(); return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, intercepted(func(ctx context.Context, _ runtime.Step, next next) error {
				next(ctx)
				return fail()
			}))
			a := w.applied(t, "theme", "dark")
			if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" || w.writes(t) != 2 {
				t.Errorf("undo: %s, %d bodies ran", u.raw, w.writes(t))
			}
			if !strings.Contains(w.log.String(), "failed after the fact") {
				t.Errorf("the log does not tell:\n%s", w.log)
			}
		})
	}
}

func TestInterceptorThatGoesOnTwiceRunsNothingTwice(t *testing.T) {
	t.Parallel()
	var outcomes []runtime.Outcome
	w := newWorld(t, intercepted(func(ctx context.Context, s runtime.Step, next next) error {
		others := make(chan runtime.Outcome)
		go func() { others <- next(ctx) }()
		outcomes = []runtime.Outcome{next(ctx), <-others, next(ctx)}
		return nil
	}))
	a := w.applied(t, "theme", "dark")
	outcome := runtime.Outcome{Status: "applied", ChangeID: a.ChangeID}
	if diff := cmp.Diff(slices.Repeat([]runtime.Outcome{outcome}, 3), outcomes); diff != "" || w.writes(t) != 1 {
		t.Errorf("outcomes (-want +got):\n%s%d bodies ran", diff, w.writes(t))
	}
}

// An interceptor that is over has had its say: what it kept runs nothing.
func TestInterceptorThatGoesOnTooLateRunsNothing(t *testing.T) {
	t.Parallel()
	var late next
	w := newWorld(t, intercepted(func(ctx context.Context, s runtime.Step, next next) error {
		if s.Kind == runtime.StepApply {
			late = next
			return runtime.Refuse("no")
		}
		next(ctx)
		return nil
	}))
	p := w.preview(t, "theme", "dark")
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "refused")
	if out := late(t.Context()); out.Status != "refused" || w.record(t, p.ChangeID).Status != ledger.Pending {
		t.Errorf("%+v, %s", out, w.record(t, p.ChangeID).Status)
	}
}

func TestContextOfAnInterceptorReachesHooksAndScope(t *testing.T) {
	t.Parallel()
	type key struct{}
	var seen []any
	see := func(ctx context.Context) { seen = append(seen, ctx.Value(key{})) }
	w := newWorld(t, func(w *world) {
		observe, apply := w.operation.Observe, w.operation.Apply
		w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
			see(ctx)
			return observe(ctx, p)
		}
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			see(ctx)
			return apply(ctx, c)
		}
		w.options.Scope = func(ctx context.Context) string { return fmt.Sprint(ctx.Value(key{})) }
		w.options.Interceptors = []runtime.Interceptor{func(ctx context.Context, _ runtime.Step, next next) error {
			next(context.WithValue(ctx, key{}, "tenant 7"))
			return nil
		}}
	})
	w.applied(t, "theme", "dark")
	if diff := cmp.Diff(slices.Repeat([]any{"tenant 7"}, 4), seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}

// After the claim, a context that an interceptor ends is like a caller who leaves: the change goes to its end.
func TestContextThatAnInterceptorEndsDoesNotEndAClaim(t *testing.T) {
	t.Parallel()
	started, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) {
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			close(started)
			<-release
			return apply(ctx, c)
		}
		w.options.Interceptors = []runtime.Interceptor{func(ctx context.Context, s runtime.Step, next next) error {
			if s.Kind == runtime.StepApply {
				var leave context.CancelFunc
				ctx, leave = context.WithCancel(ctx)
				go func() { <-started; leave() }()
			}
			next(ctx)
			return nil
		}}
	})
	p := w.preview(t, "theme", "dark")
	wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "in_flight")
	close(release)
	w.closes(t)
	if kept := w.record(t, p.ChangeID); kept.Status != ledger.Applied || w.writes(t) != 1 {
		t.Errorf("%s, %d bodies ran", kept.Status, w.writes(t))
	}
}

func TestNewGuardRefusesANilInterceptor(t *testing.T) {
	t.Parallel()
	store := openLedger(t, t.TempDir(), &fakeClock{})
	_, err := runtime.NewGuard(t.Context(), runtime.Options{Store: store, Interceptors: []runtime.Interceptor{nil}})
	if err == nil || !strings.Contains(err.Error(), "Options.Interceptors") {
		t.Errorf("%v", err)
	}
}

// An interceptor may refuse with a reason that the agent is told, and looks at the outcome of what it let through.
func ExampleInterceptor() {
	frozen := true
	freeze := func(ctx context.Context, s runtime.Step, next func(context.Context) runtime.Outcome) error {
		if frozen && s.Kind == runtime.StepApply {
			return runtime.Refuse("changes are frozen until Monday; previews still work")
		}
		outcome := next(ctx)
		fmt.Println(s.Kind, s.Operation, "was", outcome.Status)
		return nil
	}
	options := runtime.Options{Interceptors: []runtime.Interceptor{freeze}}
	preview := func(context.Context) runtime.Outcome { return runtime.Outcome{Status: "preview"} }
	for _, kind := range []runtime.StepKind{runtime.StepPreview, runtime.StepApply} {
		err := options.Interceptors[0](context.Background(), runtime.Step{Kind: kind, Operation: "set_setting"}, preview)
		fmt.Println(err)
	}
	// Output:
	// preview set_setting was preview
	// <nil>
	// changes are frozen until Monday; previews still work
}
