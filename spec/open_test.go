package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// opened is a spec whose operations are open but for what a resource that others use too observes.
const opened = `
version: 1
package: things
server: {name: things}
resources:
  shared:
    observe: go
    state: {type: object, properties: {a: {type: string}}}
defaults: {open: true, description: Change a thing., apply: go, undo: none}
operations:
  set_own:
    observe: go
    state: {type: object, properties: {b: {type: string}}}
    payload: {type: object, properties: {c: {type: string}}, anyOf: [{required: [c]}, {properties: {d: {type: string}}}]}
    result: {type: object, properties: {e: {type: string}}}
    summary: Change ${payload}
  set_shared:
    open: false
    resource: shared
    payload: {type: object, properties: {f: {type: string}}}
    summary: Change ${payload}
`

func TestOpenOperationsTakeMembersThatTheyDoNotName(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, schema := range accept(t, opened).Schemas {
		got[schema.Name] = "open"
		if strings.Contains(string(schema.JSON), `"unevaluatedProperties":false`) {
			got[schema.Name] = "closed"
		}
	}
	want := map[string]string{
		"set_own.payload": "open", "set_own.arguments": "open", "set_own.result": "open", "set_own.state": "open",
		"shared.state": "closed", "set_shared.payload": "closed",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
