package runtime_test

import (
	"context"
	"errors"
	goruntime "runtime"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// shortTimeout is a timeout that the body of a test waits out.
const shortTimeout = time.Millisecond

func TestFailedApplyIsTold(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		err     error
		code    string
		outcome string
		message string
	}{
		{"plain error", errors.New("password hunter2"), "apply_failed", "unknown", "The apply failed (*errors.errorString)."},
		{"proof", runtime.NotApplied(errors.New("password hunter2")), "apply_failed", "not_applied", "The apply failed (*errors.errorString)."},
		{"refusal", runtime.Refuse("the theme is sold out"), "refused", "unknown", "the theme is sold out"},
		{"refusal with proof", runtime.NotApplied(runtime.Refuse("the theme is sold out")), "refused", "not_applied", "the theme is sold out"},
		{"conflict", runtime.Conflict("the row has moved"), "state_changed", "not_applied", "the row has moved"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.operation.Apply = func(context.Context, *setChange) (*setResult, error) { return nil, test.err }
			})
			p := w.preview(t, "theme", "dark")
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, r, test.code)
			if r.Message != test.message || r.ChangeStatus != "apply_failed" || strings.Contains(r.text, "hunter2") {
				t.Errorf("%s", r.raw)
			}
			if unsure := strings.Contains(r.Hint, "not known"); unsure != (test.outcome == "unknown") {
				t.Errorf("hint: %s", r.Hint)
			}
			s := w.status(t, p.ChangeID)
			if s.Status != "apply_failed" || s.Outcome != test.outcome || s.Code != test.code || strings.Contains(s.text, "hunter2") {
				t.Errorf("status: %s", s.raw)
			}
			if kept := w.record(t, p.ChangeID); kept.Error != test.err.Error() {
				t.Errorf("the record keeps the error %q", kept.Error)
			}
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "already_used")
		})
	}
}

func TestFailedApplyKeepsAFreshLook(t *testing.T) {
	t.Parallel()
	for want, after := range map[string]string{"as_before": "light", "other": "dark"} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
					_, err := w.target.ExecContext(ctx, `UPDATE settings SET value = ? WHERE key = 'theme'`, after)
					return nil, errors.Join(errors.New("failed"), err)
				}
			})
			p := w.preview(t, "theme", "dark")
			wantRefused(t, w.apply(t, p.ChangeID, p.ConfirmationToken), "apply_failed")
			if kept := w.record(t, p.ChangeID); !strings.Contains(string(kept.After), after) {
				t.Errorf("the record keeps the look %s", kept.After)
			}
			if e := lastEvent(t, w, p.ChangeID); !strings.Contains(e.Reason, want) {
				t.Errorf("event: %+v", e)
			}
		})
	}
}

func lastEvent(t *testing.T, w *world, id string) ledger.Event {
	t.Helper()
	events, err := w.store.Events(t.Context(), id)
	if err != nil || len(events) == 0 {
		t.Fatalf("events of %s: %v", id, err)
	}
	return events[len(events)-1]
}

func TestConflictSaysWhatDiffers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		apply := w.operation.Apply
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			if _, err := w.target.ExecContext(ctx, `UPDATE settings SET value = 'blue', version = 9 WHERE key = 'theme'`); err != nil {
				return nil, err
			}
			return apply(ctx, c)
		}
	})
	p := w.preview(t, "theme", "dark")
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "state_changed")
	if len(r.Changed) != 1 || string(r.Changed[0].Now) != `"blue"` || w.value(t, "theme") != "blue" {
		t.Errorf("%s", r.raw)
	}
}

func TestBodyWithoutAnAnswerLeavesTheChangeInDoubt(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]func(context.Context) error{
		"says so":             func(context.Context) error { return runtime.InDoubt(errors.New("connection reset by hunter2")) },
		"panics":              func(context.Context) error { panic("hunter2") },
		"ends its goroutine":  func(context.Context) error { goruntime.Goexit(); return nil },
		"fails after timeout": func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				if name == "fails after timeout" {
					w.operation.Timeout = shortTimeout
				}
				w.operation.Apply = func(ctx context.Context, _ *setChange) (*setResult, error) { return nil, body(ctx) }
			})
			p := w.preview(t, "theme", "dark")
			for range 2 {
				r := w.apply(t, p.ChangeID, p.ConfirmationToken)
				wantRefused(t, r, "in_doubt")
				if !strings.Contains(r.Hint, "get_change_status") || !strings.Contains(r.Hint, "Do not preview") || strings.Contains(r.text, "hunter2") {
					t.Errorf("%s", r.raw)
				}
			}
			s := w.status(t, p.ChangeID)
			if s.Status != "applying" || !s.InDoubt || s.DoubtReason == "" || strings.Contains(s.text, "hunter2") {
				t.Errorf("status: %s", s.raw)
			}
			wantRefused(t, w.undo(t, p.ChangeID, "undo_x"), "in_doubt")
		})
	}
}

func TestUndoBodyThatFails(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		err    error
		code   string
		status string
	}{
		{"plain error", errors.New("password hunter2"), "undo_failed", "undo_failed"},
		{"refusal", runtime.Refuse("too late"), "refused", "undo_failed"},
		{"proof", runtime.NotApplied(errors.New("password hunter2")), "undo_failed", "applied"},
		{"conflict", runtime.Conflict("moved"), "state_changed", "applied"},
		{"doubt", runtime.InDoubt(errors.New("password hunter2")), "in_doubt", "undoing"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			fail := true
			w := newWorld(t, func(w *world) {
				undo := w.operation.Undo
				w.operation.Undo = func(ctx context.Context, c *setApplied) error {
					if fail {
						return test.err
					}
					return undo(ctx, c)
				}
			})
			a := w.applied(t, "theme", "dark")
			r := w.undo(t, a.ChangeID, a.UndoToken)
			wantRefused(t, r, test.code)
			s := w.status(t, a.ChangeID)
			if r.ChangeStatus != test.status || s.Status != test.status || strings.Contains(r.text+s.text, "hunter2") {
				t.Errorf("%s\n%s", r.raw, s.raw)
			}
			fail = false
			again := w.undo(t, a.ChangeID, a.UndoToken)
			if undone := again.Status == "undone"; undone != (test.status == "applied") {
				t.Errorf("the same undo again: %s", again.raw)
			}
		})
	}
}

// A body that comes back after its time settles its own change.
func TestBodyThatReturnsLateSettlesItsChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		want ledger.Status
	}{
		{"success", nil, ledger.Applied},
		{"proof", runtime.NotApplied(errors.New("refused")), ledger.ApplyFailed},
		{"plain error", errors.New("failed"), ledger.Applying},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			w := newWorld(t, func(w *world) {
				w.operation.Timeout = shortTimeout
				apply := w.operation.Apply
				w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
					<-ctx.Done()
					<-release
					if test.err != nil {
						return nil, test.err
					}
					return apply(context.WithoutCancel(ctx), c)
				}
			})
			p := w.preview(t, "theme", "dark")
			r := w.apply(t, p.ChangeID, p.ConfirmationToken)
			wantRefused(t, r, "in_doubt")
			if kept := w.record(t, p.ChangeID); kept.Status != ledger.Applying || kept.DoubtAt.IsZero() {
				t.Fatalf("while the body runs on: %+v", kept.Mutable)
			}
			close(release)
			w.closes(t) // waits for the body
			if kept := w.record(t, p.ChangeID); kept.Status != test.want || kept.DoubtAt.IsZero() != (test.want != ledger.Applying) {
				t.Errorf("after the body: %+v", kept.Mutable)
			}
		})
	}
}

// What a look does after its time cannot start the body.
func TestLookThatHangsAfterTheClaimNeverStartsTheBody(t *testing.T) {
	t.Parallel()
	hang, release := make(chan struct{}), make(chan struct{})
	w := newWorld(t, func(w *world) {
		observe := w.operation.Observe
		w.operation.Observe = func(ctx context.Context, p *setPayload) (*settingState, error) {
			select {
			case <-hang:
				<-release
			default:
			}
			return observe(context.WithoutCancel(ctx), p)
		}
	})
	p := w.preview(t, "theme", "dark")
	w.options.Timeout = shortTimeout
	w.restart(t)
	close(hang)
	r := w.apply(t, p.ChangeID, p.ConfirmationToken)
	wantRefused(t, r, "observe_failed")
	close(release)
	w.closes(t)
	if kept := w.record(t, p.ChangeID); kept.Status != ledger.ApplyFailed || kept.Outcome != "not_applied" || w.writes(t) != 0 {
		t.Errorf("%+v, %d bodies ran", kept.Mutable, w.writes(t))
	}
}

func TestResultThatCannotBeKept(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(*world)
		flaw   string
	}{
		"none": {func(w *world) { w.operation.Apply = returning(w, func() *setResult { return nil }) }, "result_invalid"},
		"breaks its schema": {func(w *world) {
			w.spec.Schemas = []byte(strings.ReplaceAll(schemaFile, `{"version": {"type": "integer"}}`, `{"version": {"type": "integer", "minimum": 100}}`))
		}, "result_invalid"},
		"too large": {func(w *world) { w.options.MaxResultBytes = 5 }, "result_omitted"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, test.change)
			a := w.applied(t, "theme", "dark")
			if a.ResultFlaw != test.flaw || a.Result != nil || a.UndoToken != "" || w.value(t, "theme") != "dark" {
				t.Errorf("%s", a.raw)
			}
			wantRefused(t, w.undo(t, a.ChangeID, "undo_x"), "not_undoable")
		})
	}
}

// returning applies for real and returns another result.
func returning(w *world, result func() *setResult) func(context.Context, *setChange) (*setResult, error) {
	apply := w.operation.Apply
	return func(ctx context.Context, c *setChange) (*setResult, error) {
		if _, err := apply(ctx, c); err != nil {
			return nil, err
		}
		return result(), nil
	}
}

// A look that fails after the write does not make it undone; the first undo makes up for the look and shows it.
func TestLookThatFailsAfterApply(t *testing.T) {
	t.Parallel()
	looks := 0
	w := newWorld(t, func(w *world) {
		observe := w.operation.Observe
		w.operation.ObserveAfter = func(ctx context.Context, c *setApplied) (*settingState, error) {
			if looks++; looks <= 2 {
				return nil, errors.New("no connection to hunter2")
			}
			return observe(ctx, c.Payload)
		}
	})
	a := w.applied(t, "theme", "dark")
	if a.UndoToken == "" || !strings.Contains(a.NextStep, "could not be read") {
		t.Errorf("%s", a.raw)
	}
	wantRefused(t, w.undo(t, a.ChangeID, a.UndoToken), "observe_failed")
	w.edit(t, "theme", "blue")
	shown := w.undo(t, a.ChangeID, a.UndoToken)
	wantRefused(t, shown, "not_undoable")
	if !strings.Contains(shown.text, `was "light", now "blue"`) || w.value(t, "theme") != "blue" {
		t.Errorf("%s", shown.text)
	}
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Errorf("%s", u.raw)
	}
}

// While one caller makes up for the look, another one does so too, and undoes the change.
func TestLateLookThatAnUndoOvertakesTellsOfTheUndo(t *testing.T) {
	t.Parallel()
	var overtake func()
	w := newWorld(t, func(w *world) {
		looks, observe := 0, w.operation.Observe
		w.operation.ObserveAfter = func(ctx context.Context, c *setApplied) (*settingState, error) {
			switch looks++; looks {
			case 1:
				return nil, errors.New("no connection")
			case 2:
				overtake()
			}
			return observe(ctx, c.Payload)
		}
	})
	a := w.applied(t, "theme", "dark")
	other := w.connect(t)
	overtake = func() {
		arguments := map[string]string{"change_id": a.ChangeID, "undo_token": a.UndoToken}
		wantRefused(t, other.call(t, "undo_set_setting", arguments), "not_undoable")
		if u := other.call(t, "undo_set_setting", arguments); u.Status != "undone" {
			t.Errorf("%s", u.raw)
		}
	}
	late := w.undo(t, a.ChangeID, a.UndoToken)
	if wantRefused(t, late, "already_used"); late.ChangeStatus != "undone" {
		t.Errorf("%s", late.raw)
	}
}

func TestOperationWithoutAnUndo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) { w.operation.Undo = nil })
	p := w.preview(t, "theme", "dark")
	if p.Undo.Possible {
		t.Errorf("%s", p.raw)
	}
	a := w.apply(t, p.ChangeID, p.ConfirmationToken)
	if a.UndoToken != "" || !strings.Contains(a.NextStep, "cannot be undone") {
		t.Errorf("%s", a.raw)
	}
	for _, tool := range w.tools(t) {
		if strings.HasPrefix(tool.Name, "undo") {
			t.Errorf("there is a tool %s", tool.Name)
		}
	}
}

func TestBodiesAreGivenTheirChange(t *testing.T) {
	t.Parallel()
	type call struct{ id, key string }
	var calls []call
	w := newWorld(t, func(w *world) {
		apply, undo := w.operation.Apply, w.operation.Undo
		w.operation.Apply = func(ctx context.Context, c *setChange) (*setResult, error) {
			calls = append(calls, call{c.ChangeID, c.IdempotencyKey})
			return apply(ctx, c)
		}
		w.operation.Undo = func(ctx context.Context, c *setApplied) error {
			calls = append(calls, call{c.ChangeID, c.IdempotencyKey})
			if c.Before.Value != "light" || c.After.Value != "dark" || c.Result.Version != 2 || c.Payload.Value != "dark" {
				return runtime.NotApplied(errors.New("the undo is given something else"))
			}
			return undo(ctx, c)
		}
	})
	a := w.applied(t, "theme", "dark")
	w.undo(t, a.ChangeID, a.UndoToken)
	want := []call{{a.ChangeID, a.ChangeID + ":apply:1"}, {a.ChangeID, a.ChangeID + ":undo:1"}}
	if len(calls) != 2 || calls[0] != want[0] || calls[1] != want[1] {
		t.Errorf("%v, want %v", calls, want)
	}
}

// An undo may run although something that is not compared has moved on; it is given what is there now to write on.
func TestUndoRunsOnTheCurrentVersion(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.applied(t, "theme", "dark")
	w.edit(t, "theme", "dark") // only the version differs
	if u := w.undo(t, a.ChangeID, a.UndoToken); u.Status != "undone" || w.value(t, "theme") != "light" {
		t.Errorf("%s", u.raw)
	}
}
