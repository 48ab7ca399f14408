package runtime

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
)

func canonical(t *testing.T, text string) []byte {
	t.Helper()
	c, err := exact.Canonical([]byte(text), exact.DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestBindingComparesWhatIsBound(t *testing.T) {
	t.Parallel()
	const all = ""
	for _, test := range []struct {
		name           string
		bind, volatile string // paths, separated by spaces
		was, now       string
		want           string // field: was -> now; …
	}{
		{"nothing differs", all, "", `{"a":1}`, `{"a":1}`, ""},
		{"same value, other spelling", all, "", `{"a":1.0,"b":2}`, `{"b":2,"a":1e0}`, ""},
		{"a field", all, "", `{"a":1,"b":2}`, `{"a":1,"b":3}`, "b: 2 -> 3"},
		{"a digit beyond a double", all, "", `{"a":9007199254740992}`, `{"a":9007199254740993}`, "a: 9007199254740992 -> 9007199254740993"},
		{"two fields, by name", all, "", `{"b":1,"a":1}`, `{"b":2,"a":2}`, "a: 1 -> 2; b: 1 -> 2"},
		{"an unbound field", "a", "", `{"a":1,"b":2}`, `{"a":1,"b":3}`, ""},
		{"a volatile field", all, "v", `{"a":1,"v":2}`, `{"a":1,"v":3}`, ""},
		{"volatile within bound", "a", "a.v", `{"a":{"v":1,"w":1}}`, `{"a":{"v":2,"w":2}}`, "/a/w: 1 -> 2"},
		{"volatile comes", all, "v", `{"a":1}`, `{"a":1,"v":3}`, ""},
		{"a field comes", all, "", `{}`, `{"a":null}`, "a: absent -> null"},
		{"a field goes", all, "", `{"a":null}`, `{}`, "a: null -> absent"},
		{"null is no text", all, "", `{"a":null}`, `{"a":"null"}`, `a: null -> "null"`},
		{"a nested field", "a.b", "", `{"a":{"b":1,"c":1}}`, `{"a":{"b":2,"c":2}}`, "/a/b: 1 -> 2"},
		{"the object goes", "a.b", "", `{"a":{"b":1,"c":1}}`, `{"a":null}`, `a: {"b":1} -> null`},
		{"the state comes", "a", "", `null`, `{"a":1,"b":2}`, `(whole state): absent -> {"a":1}`},
		{"the state goes", all, "v", `{"a":1,"v":2}`, `null`, `(whole state): {"a":1} -> absent`},
		{"an empty state is one", all, "v", `{"v":2}`, `null`, `(whole state): {} -> absent`},
		{"rows", "value", "", `[{"value":1,"v":1},{"value":2,"v":1}]`, `[{"value":1,"v":2},{"value":3,"v":2}]`, "/1/value: 2 -> 3"},
		{"more rows", "value", "", `[{"value":1,"v":1}]`, `[{"value":1,"v":2},{"value":3,"v":2}]`, `(whole state): [{"value":1}] -> [{"value":1},{"value":3}]`},
		{"rows in another order", "value", "", `[{"value":1},{"value":2}]`, `[{"value":2},{"value":1}]`, "/0/value: 1 -> 2; /1/value: 2 -> 1"},
		{"volatile of rows", all, "v", `[{"a":1,"v":1}]`, `[{"a":1,"v":2}]`, ""},
		{"rows below", "items.n", "", `{"items":[{"n":1,"m":1}]}`, `{"items":[{"n":2,"m":2}]}`, "/items/0/n: 1 -> 2"},
		{"keys of a map", all, "", `{"m":{"a.b":1,"[0]":1,"":1,"k-1":1}}`, `{"m":{"a.b":2,"[0]":2,"":2,"k-1":2}}`,
			`/m/: 1 -> 2; /m/[0]: 1 -> 2; /m/a.b: 1 -> 2; /m/k-1: 1 -> 2`},
		{"a key of a map in a list", all, "", `[{"m":{"a/b":1}}]`, `[{"m":{"a/b":null}}]`, `/0/m/a~1b: 1 -> null`},
		{"an object becomes a list", all, "", `{"a":{"b":1}}`, `{"a":[1]}`, `a: {"b":1} -> [1]`},
		{"names that could be pointers", all, "", `{"/a":1,"":1,"a~b":1,"(whole state)":1,"a.b":1}`, `{"/a":2,"":2,"a~b":2,"(whole state)":2,"a.b":2}`,
			`/: 1 -> 2; /(whole state): 1 -> 2; /~1a: 1 -> 2; a.b: 1 -> 2; /a~0b: 1 -> 2`},
		{"a name that starts alike", "a", "", `{"a":1,"ab":1}`, `{"a":1,"ab":2}`, ""},
	} {
		b := newBinding(strings.Fields(test.bind), strings.Fields(test.volatile))
		got, err := b.compare(canonical(t, test.was), canonical(t, test.now))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, describeAll(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Not parallel, as it counts what the process allocates. The name on the way to a difference is kept once.
func TestComparingTakesMemoryOfTheSizeOfTheStates(t *testing.T) {
	const nameBytes, items, most = 500_000, 9000, 64 << 20
	state := func(item string) []byte {
		return canonical(t, `{"`+strings.Repeat("k", nameBytes)+`":[`+strings.Repeat(item+",", items-1)+item+`]}`)
	}
	was, now := state("1"), state("2")
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	found, err := newBinding(nil, nil).compare(was, now)
	text := fieldList(found)
	goruntime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; err != nil || len(found) != items || taken > most {
		t.Errorf("%d bytes for %d differences, %v", taken, len(found), err)
	}
	const longest = 256 << 10
	if len(text) > longest || !strings.HasSuffix(text, "and 8950 more") {
		t.Errorf("the list of fields has %d bytes and ends %q", len(text), text[len(text)-50:])
	}
	if field := found[0].field(); !strings.HasPrefix(field, "/kkk") || !strings.Contains(field, "…") || !strings.HasSuffix(field, "kkk/0") {
		t.Errorf("a field: %s", field)
	}
}

func describeAll(found []difference) string {
	texts := make([]string, len(found))
	for i, d := range found {
		texts[i] = fmt.Sprintf("%s: %s -> %s", d.field(), orAbsent(d.was), orAbsent(d.now))
	}
	return strings.Join(texts, "; ")
}

func orAbsent(v []byte) string {
	if v == nil {
		return "absent"
	}
	return string(v)
}

func TestBindingRefusesBrokenStates(t *testing.T) {
	t.Parallel()
	if _, err := newBinding(nil, nil).compare([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("a broken earlier state was compared")
	}
	if _, err := newBinding(nil, nil).compare([]byte(`{}`), []byte(`{`)); err == nil {
		t.Error("a broken later state was compared")
	}
}

func TestStandingOfAnAppliedChange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name               string
		bind               string
		before, after, now string
		want               standing
		changed            string
	}{
		{"as apply left it", "value", `{"value":1,"note":1}`, `{"value":2,"note":1}`, `{"value":2,"note":1}`, asAfter, ""},
		{"an unbound field that the change left alone", "value", `{"value":1,"note":1}`, `{"value":2,"note":1}`, `{"value":2,"note":9}`, asAfter, ""},
		{"volatile only", "value", `{"value":1}`, `{"value":2,"v":2}`, `{"value":2,"v":3}`, asAfter, ""},
		{"taken back already", "value", `{"value":1,"note":1}`, `{"value":2,"note":1}`, `{"value":1,"note":9}`, asBefore, ""},
		{"edited since", "value", `{"value":1}`, `{"value":2}`, `{"value":3}`, elsewise, "value: 2 -> 3"},
		{"an unbound field that the change made", "value", `{"value":1,"note":1}`, `{"value":1,"note":2}`, `{"value":1,"note":3}`, elsewise, "note: 2 -> 3"},
		{"half taken back", "", `{"a":1,"b":1}`, `{"a":2,"b":2}`, `{"a":1,"b":2}`, elsewise, "a: 2 -> 1"},
		{"nothing was made", "value", `{"value":1}`, `{"value":1}`, `{"value":1}`, asAfter, ""},
		{"nothing was made, edited since", "value", `{"value":1}`, `{"value":1}`, `{"value":2}`, elsewise, "value: 1 -> 2"},
		{"a create", "value", `null`, `{"value":1}`, `{"value":1}`, asAfter, ""},
		{"a create, gone since", "value", `null`, `{"value":1}`, `null`, asBefore, ""},
		{"a create, edited since", "value", `null`, `{"value":1}`, `{"value":2}`, elsewise, "value: 1 -> 2"},
		{"a delete", "value", `{"value":1}`, `null`, `null`, asAfter, ""},
		{"a delete, back since", "value", `{"value":1}`, `null`, `{"value":1}`, asBefore, ""},
		{"a delete, another since", "value", `{"value":1}`, `null`, `{"value":2}`, elsewise, `(whole state): absent -> {"value":2}`},
	} {
		b := newBinding(strings.Fields(test.bind), []string{"v"})
		got, changed, err := b.stand(canonical(t, test.before), canonical(t, test.after), canonical(t, test.now))
		if err != nil || got != test.want || describeAll(changed) != test.changed {
			t.Errorf("%s: %s (%s), %v; want %s (%s)", test.name, got, describeAll(changed), err, test.want, test.changed)
		}
	}
}

// Where nobody looked before apply, only what apply left lets an undo run.
func TestStandingWithoutALookBefore(t *testing.T) {
	t.Parallel()
	b := newBinding(nil, nil)
	for now, want := range map[string]standing{`{"a":1}`: asAfter, `{"a":2}`: elsewise, `null`: elsewise} {
		if got, _, err := b.stand(nil, []byte(`{"a":1}`), []byte(now)); err != nil || got != want {
			t.Errorf("now %s: %s, %v; want %s", now, got, err, want)
		}
	}
}
