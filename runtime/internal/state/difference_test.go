package state_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/runtime/internal/payload"
	"github.com/changesetgen/changesetgen/runtime/internal/place"
	"github.com/changesetgen/changesetgen/runtime/internal/state"
)

// described is one line for each difference: the field, its values unless they are hidden, and what became of the state.
func described(found []state.Difference) string {
	lines := make([]string, len(found))
	for i, d := range found {
		lines[i] = strings.TrimSpace(describeAll(found[i:i+1]) + " " + d.Side())
		if d.Sensitive {
			lines[i] = strings.TrimSpace(d.Field() + ": hidden " + d.Side())
		}
	}
	return strings.Join(lines, "\n")
}

func TestStateOnOneSideIsToldByItsBoundFields(t *testing.T) {
	t.Parallel()
	const gone, came = " It was there, and now it is not.", " It was not there, and now it is."
	for name, test := range map[string]struct{ was, now, want string }{
		"gone":             {`{"a":1,"b":{"c":2},"v":3,"w":4}`, `null`, "a: 1 -> absent" + gone + "\nb: {\"c\":2} -> absent" + gone},
		"come":             {`null`, `{"a":null}`, "a: absent -> null" + came},
		"nothing is bound": {`{"w":4}`, `null`, "(whole state): {} -> absent"},
		"a list":           {`[{"a":1}]`, `null`, `(whole state): [{"a":1}] -> absent`},
		"on both sides":    {`{"a":1,"b":1}`, `{"a":2,"b":1}`, "a: 1 -> 2"},
	} {
		changed, err := state.Bind([]string{"a", "b"}, []string{"v"}, nil).Compare(canonical(t, test.was), canonical(t, test.now))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, described(state.InFields(changed))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// What the schema of the states marks is compared like all else, and told by its field alone.
func TestSensitiveValuesAreComparedAndNotTold(t *testing.T) {
	t.Parallel()
	schema, err := payload.Compile("account.state", []byte(`{"type":"object","properties":{
		"name":{"type":"string"},"pin":{"type":"string","x-sensitive":true},
		"keys":{"type":"object","x-sensitive":true,"additionalProperties":true}}}`), payload.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ was, now, want string }{
		"a value":           {`{"name":"a","pin":"1"}`, `{"name":"b","pin":"2"}`, "name: \"a\" -> \"b\"\npin: hidden"},
		"comes":             {`{}`, `{"pin":"2"}`, "pin: hidden"},
		"equal":             {`{"name":"a","pin":"1"}`, `{"name":"b","pin":"1"}`, `name: "a" -> "b"`},
		"several within":    {`{"keys":{"x":1,"y":1}}`, `{"keys":{"x":2,"y":2}}`, "keys: hidden"},
		"in the state gone": {`{"pin":"1"}`, `null`, "pin: hidden It was there, and now it is not."},
	} {
		changed, err := state.Bind(nil, nil, schema).Compare(canonical(t, test.was), canonical(t, test.now))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, described(state.InFields(changed))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		for _, d := range changed {
			if d.Sensitive && (d.Was != nil || d.Now != nil) {
				t.Errorf("%s: %s has its values", name, d.Field())
			}
		}
	}
}

func TestHiddenPlacesTakeTheirDifferencesWithThem(t *testing.T) {
	t.Parallel()
	was, now := canonical(t, `{"a":{"b":1,"c":1},"d":1}`), canonical(t, `{"a":{"b":2,"c":2},"d":2}`)
	changed, err := state.Bind(nil, nil, nil).Compare(was, now)
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		hidden []string
		want   string
	}{
		"nothing":            {nil, "/a/b: 1 -> 2\n/a/c: 1 -> 2\nd: 1 -> 2"},
		"one":                {[]string{"/a/b"}, "/a/b: hidden\n/a/c: 1 -> 2\nd: 1 -> 2"},
		"several in one":     {[]string{"/a"}, "a: hidden\nd: 1 -> 2"},
		"below a difference": {[]string{"/d/e"}, "/a/b: 1 -> 2\n/a/c: 1 -> 2\nd: hidden"},
		"everything":         {[]string{""}, "(whole state): hidden"},
	} {
		hidden := &place.Set{}
		for _, pointer := range test.hidden {
			hidden.Add(place.At(pointer))
		}
		if diff := cmp.Diff(test.want, described(state.Without(changed, hidden))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
