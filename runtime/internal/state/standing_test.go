package state_test

import (
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/internal/state"
)

func TestStandingOfAnAppliedChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name               string
		bind               string
		before, after, now string
		want               state.Standing
		changed            string
	}{
		{"as apply left it", "value", `{"value":1,"note":1}`, `{"value":2,"note":1}`, `{"value":2,"note":1}`, state.AsAfter, ""},
		{"an unbound field that the change left alone", "value", `{"value":1,"note":1}`, `{"value":2,"note":1}`, `{"value":2,"note":9}`, state.AsAfter, ""},
		{"volatile only", "value", `{"value":1}`, `{"value":2,"v":2}`, `{"value":2,"v":3}`, state.AsAfter, ""},
		{"taken back already", "value", `{"value":1,"note":1}`, `{"value":2,"note":1}`, `{"value":1,"note":9}`, state.AsBefore, ""},
		{"edited since", "value", `{"value":1}`, `{"value":2}`, `{"value":3}`, state.Elsewise, "value: 2 -> 3"},
		{"an unbound field that the change made", "value", `{"value":1,"note":1}`, `{"value":1,"note":2}`, `{"value":1,"note":3}`, state.Elsewise, "note: 2 -> 3"},
		{"half taken back", "", `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":1,"b":2}`, state.Elsewise, "a: 2 -> 1"},
		{"nothing was made", "value", `{"value":1}`, `{"value":1}`, `{"value":1}`, state.AsAfter, ""},
		{"nothing was made, edited since", "value", `{"value":1}`, `{"value":1}`, `{"value":2}`, state.Elsewise, "value: 1 -> 2"},
		{"a create", "value", `null`, `{"value":1}`, `{"value":1}`, state.AsAfter, ""},
		{"a create, gone since", "value", `null`, `{"value":1}`, `null`, state.AsBefore, ""},
		{"a create, edited since", "value", `null`, `{"value":1}`, `{"value":2}`, state.Elsewise, "value: 1 -> 2"},
		{"a delete", "value", `{"value":1}`, `null`, `null`, state.AsAfter, ""},
		{"a delete, back since", "value", `{"value":1}`, `null`, `{"value":1}`, state.AsBefore, ""},
		{"a delete, another since", "value", `{"value":1}`, `null`, `{"value":2}`, state.Elsewise, `(whole state): absent -> {"value":2}`},
	} {
		b := state.Bind(strings.Fields(test.bind), []string{"v"}, nil)
		got, changed, err := b.Stand(canonical(t, test.before), canonical(t, test.after), canonical(t, test.now))
		if err != nil || got != test.want || describeAll(changed) != test.changed {
			t.Errorf("%s: %s (%s), %v; want %s (%s)", test.name, got, describeAll(changed), err, test.want, test.changed)
		}
	}
}

// Where nobody looked before apply, only what apply left lets an undo run.
func TestStandingWithoutALookBefore(t *testing.T) {
	t.Parallel()
	b := state.Bind(nil, nil, nil)
	for now, want := range map[string]state.Standing{`{"a":1}`: state.AsAfter, `{"a":2}`: state.Elsewise, `null`: state.Elsewise} {
		if got, _, err := b.Stand(nil, []byte(`{"a":1}`), []byte(now)); err != nil || got != want {
			t.Errorf("now %s: %s, %v; want %s", now, got, err, want)
		}
	}
}
