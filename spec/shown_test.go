package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// showing is a spec whose summary shows some of a payload with properties in flow style.
func showing(summary, properties string) string {
	return fmt.Sprintf(`
version: 1
package: things
server: {name: things}
$defs:
  Node: {type: object, properties: {name: {type: string}, next: {$ref: '#/$defs/Node'}}}
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, properties: {%s}}
    observe: none
    summary: %q
    apply: go
    undo: none
`, properties, summary)
}

func TestPreviewShowsWholeValuesThatHaveNoFields(t *testing.T) {
	t.Parallel()
	const (
		mapped = "a: {type: object, additionalProperties: {type: object, properties: {b: {type: string}}}}"
		union  = "a: {oneOf: [{type: object, required: [k], properties: {k: {const: x}}}, {type: object, required: [k], properties: {k: {const: y}}}]}"
		open   = "a: {type: object, properties: {b: {type: string}}, additionalProperties: true}"
		chain  = "a: {$ref: '#/$defs/Node'}"
	)
	for _, test := range []struct {
		name, summary, properties string
		hidden                    []string // what the messages begin with
	}{
		{"a map", "${payload.a}", mapped, nil},
		{"a map that is hidden", "", mapped, []string{"'payload.a'"}},
		{"a choice of objects", "${payload.a}", union, nil},
		{"a choice of objects that is hidden", "", union, []string{"'payload.a'"}},
		{"any value", "", "a: {}", []string{"'payload.a'"}},
		{"members without a field", "${payload.a}", open, nil},
		{"members without a field that are hidden", "${payload.a.b}", open, []string{"a member of 'payload.a' that has no name here"}},
		{"names that no field can have", "${payload.a}", "a: {type: string}, '-': {type: string}", []string{"a member of 'payload' that has no name here"}},
		{"all of it", "${payload}", open + ", '-': {type: string}", nil},
		{"an object that contains itself", "${payload.a}", chain, nil},
		{"what an object holds of itself", "${payload.a.name}", chain, []string{"'payload.a.next'"}},
		{"what an object holds of itself, by its name", "${payload.a.name} ${payload.a.next.name} ${payload.a.next.next}", chain, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := spec.Read(specFile, []byte(showing("It "+test.summary, test.properties)))
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
