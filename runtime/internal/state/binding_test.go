package state_test

import (
	"fmt"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/exact"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
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
		b := state.Bind(strings.Fields(test.bind), strings.Fields(test.volatile), nil)
		got, err := b.Compare(canonical(t, test.was), canonical(t, test.now))
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
	stateOf := func(item string) []byte {
		return canonical(t, `{"`+strings.Repeat("k", nameBytes)+`":[`+strings.Repeat(item+",", items-1)+item+`]}`)
	}
	was, now := stateOf("1"), stateOf("2")
	var before, after goruntime.MemStats
	goruntime.ReadMemStats(&before)
	found, err := state.Bind(nil, nil, nil).Compare(was, now)
	goruntime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; err != nil || len(found) != items || taken > most {
		t.Errorf("%d bytes for %d differences, %v", taken, len(found), err)
	}
	if field := found[0].Field(); !strings.HasPrefix(field, "/kkk") || !strings.Contains(field, "…") || !strings.HasSuffix(field, "kkk/0") {
		t.Errorf("a field: %s", field)
	}
}

func describeAll(found []state.Difference) string {
	texts := make([]string, len(found))
	for i, d := range found {
		texts[i] = fmt.Sprintf("%s: %s -> %s", d.Field(), orAbsent(d.Was), orAbsent(d.Now))
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
	if _, err := state.Bind(nil, nil, nil).Compare([]byte(`{`), []byte(`{}`)); err == nil {
		t.Error("a broken earlier state was compared")
	}
	if _, err := state.Bind(nil, nil, nil).Compare([]byte(`{}`), []byte(`{`)); err == nil {
		t.Error("a broken later state was compared")
	}
}
