package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// Rows for the items of a list show it if nothing of an item is hidden, and no rows mean one thing only.
func TestRowsForItemsShowAList(t *testing.T) {
	t.Parallel()
	const (
		texts   = "type: array, items: {type: string}"
		objects = "type: array, items: {type: object, required: [b], properties: {b: {type: string}, c: {type: string}}}"
	)
	for _, test := range []struct {
		name, list, rows string
		required         bool
		hidden           []string
	}{
		{"all of each item", texts, "{each: payload.a, label: a, after: item}", true, nil},
		{"in a label", texts, "{each: payload.a, label: 'a ${item}', known_after_apply: true}", true, nil},
		{"as what is removed", texts, "{each: payload.a, label: a, before: item}", true, nil},
		{"an item that may be null, in a label", "type: array, items: {type: [string, 'null']}", "{each: payload.a, label: 'a ${item}', known_after_apply: true}", true, []string{"'payload.a[]'"}},
		{"nothing of an item", texts, "{each: payload.a, label: a, known_after_apply: true}", true, []string{"'payload.a[]'"}},
		{"each field", objects, "{each: payload.a, label: '${item.b}', after: item.c}", true, nil},
		{"each field, in rows apart", objects, "{each: payload.a, label: c, after: item.c}, {label: x, after: payload.x}, {each: payload.a, label: b, after: item.b}", true, nil},
		{"not each field", objects, "{each: payload.a, label: b, after: item.b}", true, []string{"'payload.a[].c'"}},
		{"a field that may be left out, in a label", objects, "{each: payload.a, label: '${item.c}', after: item.b}", true, []string{"'payload.a[].c'"}},
		{"an object that may be null, by its fields", "type: array, items: {type: [object, 'null'], properties: {b: {type: string}}}", "{each: payload.a, label: b, after: item.b}", true, []string{"'payload.a[]'"}},
		{"a list that may be left out", texts, "{each: payload.a, label: a, after: item}", false, []string{"whether 'payload.a' is there, empty or not at all,"}},
		{"a list that is never empty", "minItems: 1, " + texts, "{each: payload.a, label: a, after: item}", false, nil},
		{"a list that may be null", "type: [array, 'null'], items: {type: string}", "{each: payload.a, label: a, after: item}", true, []string{"whether 'payload.a' is there, empty or not at all,"}},
		{"a list that may be null and is never empty", "minItems: 1, type: [array, 'null'], items: {type: string}", "{each: payload.a, label: a, after: item}", true, nil},
		{"a list that may be null or left out and is never empty", "minItems: 1, type: [array, 'null'], items: {type: string}", "{each: payload.a, label: a, after: item}", false, []string{"whether 'payload.a' is there, empty or not at all,"}},
		{"a list that is shown besides", texts, "{each: payload.a, label: a, after: item}, {label: all, after: payload.a}", false, nil},
		{"something else for each item", texts, "{each: payload.a, label: a, after: payload.y}, {label: all, after: payload.a}", true, []string{"'payload.y'"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			required := "[x]"
			if test.required {
				required = "[x, a]"
			}
			y := ""
			if strings.Contains(test.rows, "payload.y") {
				y = ", y: {type: string}"
			}
			_, faults := spec.Read(specFile, []byte(`
version: 1
package: things
server: {name: things}
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, required: `+required+`, properties: {x: {type: string}, a: {`+test.list+`}`+y+`}}
    observe: none
    summary: Change ${payload.x}.
    diff: [`+test.rows+`]
    apply: go
    undo: none
`))
			var hidden []string
			for _, fault := range faults {
				if fault.Code != diag.UnshownPayload {
					t.Errorf("%v", fault)
				}
				what, _, _ := strings.Cut(fault.Message, " is never shown")
				hidden = append(hidden, what)
			}
			if diff := cmp.Diff(test.hidden, hidden); diff != "" {
				t.Errorf("hidden (-want +got):\n%s", diff)
			}
		})
	}
}
