package runtime_test

import (
	"context"
	"testing"

	"github.com/changesetgen/changesetgen/runtime"
)

func TestChangeThatChangesNothing(t *testing.T) {
	t.Parallel()
	equal := runtime.Row{Label: "theme", Before: "light", After: "light"}
	around := runtime.Row{Label: "locked", Before: true, After: true, Context: true}
	for name, test := range map[string]struct {
		change  func(*world)
		rows    []runtime.Row
		refused bool
	}{
		"every row equal":         {rows: []runtime.Row{equal}, refused: true},
		"equal, and orientation":  {rows: []runtime.Row{equal, around}, refused: true},
		"equal by value":          {rows: []runtime.Row{{Label: "n", Before: 1.0, After: 1}}, refused: true},
		"absent and absent":       {rows: []runtime.Row{{Label: "n"}}, refused: true},
		"one row differs":         {rows: []runtime.Row{equal, {Label: "n", Before: 1, After: 2}}},
		"null is not absent":      {rows: []runtime.Row{{Label: "n", Before: (*int)(nil)}}},
		"made by the target":      {rows: []runtime.Row{{Label: "n", KnownAfterApply: true}}},
		"nothing but orientation": {rows: []runtime.Row{around}},
		"no rows":                 {},
		"switched off":            {rows: []runtime.Row{equal}, change: func(w *world) { w.operation.AllowNoChange = true }},
		"sensitive and equal":     {rows: []runtime.Row{{Label: "n", Before: "a", After: "a", Sensitive: true}}},
		"equal, and sensitive":    {rows: []runtime.Row{equal, {Label: "n", Before: "a", After: "a", Sensitive: true}}},
		"sensitive in part":       {rows: []runtime.Row{{Label: "n", Before: map[string]int{"pin": 1}, After: map[string]int{"pin": 1}, Hidden: []string{"/pin"}}}},
		"sensitive and other":     {rows: []runtime.Row{{Label: "n", Before: "a", After: "b", Sensitive: true}}},
		"a create": {rows: []runtime.Row{equal}, change: func(w *world) {
			w.operation.Absent = runtime.ExistsRefused
			w.operation.Observe = func(context.Context, *setPayload) (*settingState, error) { return nil, nil }
		}},
		"what is not there is made": {rows: []runtime.Row{{Label: "n"}}, change: func(w *world) {
			w.operation.Absent = runtime.AbsentAllowed
			w.operation.Observe = func(context.Context, *setPayload) (*settingState, error) { return nil, nil }
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, func(w *world) {
				w.operation.Diff = func(*setChange) []runtime.Row { return test.rows }
				if test.change != nil {
					test.change(w)
				}
			})
			r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": "light"})
			if !test.refused {
				if r.Status != "preview" {
					t.Errorf("%s", r.raw)
				}
				return
			}
			wantRefused(t, r, "no_change")
			if len(w.changes(t)) != 0 || r.ConfirmationToken != "" {
				t.Errorf("it made a change: %s", r.raw)
			}
		})
	}
}

// A refusal costs a caller nothing. Were the right guess at a sensitive value told by one, all values could be tried.
func TestNoRefusalAnswersAGuessAtASensitiveValue(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world) {
		w.options.MaxPending = 1
		w.operation.Diff = func(c *setChange) []runtime.Row {
			return []runtime.Row{{Label: "pin", Before: c.State.Value, After: c.Payload.Value, Sensitive: true}}
		}
	})
	w.edit(t, "theme", "4711")
	w.preview(t, "language", "de")
	for _, guess := range []string{"4710", "4711", "4712"} {
		r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": guess})
		if wantRefused(t, r, "too_many_pending"); len(r.Diff) > 0 {
			t.Errorf("%s: %s", guess, r.raw)
		}
	}
}
