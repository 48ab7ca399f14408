package spec_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// showing is a spec whose rows show some of a payload with properties in flow style.
func showing(properties string, shown ...string) string {
	var rows []string
	for _, path := range shown {
		rows = append(rows, fmt.Sprintf("{label: a row, after: %s}", path))
	}
	return fmt.Sprintf(`
version: 1
package: things
server: {name: things}
$defs:
  Named: {type: object, required: [name], properties: {name: {type: string}, next: {$ref: '#/$defs/Named'}}}
  Node: {type: object, properties: {name: {type: string}, next: {$ref: '#/$defs/Node'}}}
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, properties: {%s}}
    observe: none
    summary: Change it.
    diff: [%s]
    apply: go
    undo: none
`, properties, strings.Join(rows, ", "))
}

func TestPreviewShowsWholeValuesThatHaveNoFields(t *testing.T) {
	t.Parallel()
	const (
		mapped = "a: {type: object, additionalProperties: {type: object, properties: {b: {type: string}}}}"
		union  = "a: {oneOf: [{type: object, required: [k], properties: {k: {const: x}}}, {type: object, required: [k], properties: {k: {const: y}}}]}"
		open   = "a: {type: object, properties: {b: {type: string}}, additionalProperties: true}"
		chain  = "a: {$ref: '#/$defs/Node'}"
		needed = "a: {$ref: '#/$defs/Named'}"
		empty  = "a: {type: object, properties: {}, additionalProperties: false}"
		loose  = "a: {type: object, properties: {b: {type: string}, c: {type: string}}}"
		tight  = "a: {type: object, required: [b], properties: {b: {type: string}, c: {type: string}}}"
		nulled = "a: {type: object, required: [b], properties: {b: {type: [string, 'null']}}}"
		deep   = "a: {type: object, required: [b], properties: {b: {type: object, required: [c], properties: {c: {type: string}}}}}"
		filled = "a: {type: object, default: {}, properties: {b: {type: string}}}"
	)
	for _, test := range []struct {
		name, rows, properties string
		hidden                 []string // what the messages begin with
	}{
		{"a map", "payload.a", mapped, nil},
		{"a map that is hidden", "", mapped, []string{"'payload.a'"}},
		{"a choice of objects", "payload.a", union, nil},
		{"a choice of objects that is hidden", "", union, []string{"'payload.a'"}},
		{"any value", "", "a: {}", []string{"'payload.a'"}},
		{"members without a field", "payload.a", open, nil},
		{"members without a field that are hidden", "", "f: {type: object, default: {}, properties: {o: " + strings.TrimPrefix(open, "a: ") + "}}",
			[]string{"'payload.f.o'"}},
		{"members without a field beside one that is shown", "payload.a.b", strings.Replace(open, "properties", "required: [b], properties", 1), []string{"a member of 'payload.a' that has no name here"}},
		{"names that no field can have", "payload.a", "a: {type: string}, '-': {type: string}", []string{"a member of 'payload' that has no name here"}},
		{"all of it", "payload", open + ", '-': {type: string}", nil},
		{"an object that contains itself", "payload.a", chain, nil},
		{"what an object holds of itself", "payload.a.name", needed, []string{"'payload.a.next'"}},
		{"what an object holds of itself, by its name", "payload.a.name payload.a.next.name payload.a.next.next", needed, nil},
		{"an object without fields", "payload.a", empty, nil},
		{"an object without fields that is hidden", "", empty, []string{"'payload.a'"}},
		{"whether there is an object that may be empty", "payload.a.b payload.a.c", loose, []string{"whether 'payload.a' is there, empty or not at all,"}},
		{"an object by a field that it always has", "payload.a.b payload.a.c", tight, nil},
		{"an object by a field that it always has, but not all of it", "payload.a.b", tight, []string{"'payload.a.c'"}},
		{"an object by a field that it may lack", "payload.a.c", tight, []string{"whether 'payload.a' is there, empty or not at all,"}},
		{"an object by a field that may be null", "payload.a.b", nulled, []string{"whether 'payload.a' is there, empty or not at all,"}},
		{"an object by what a field always has", "payload.a.b.c", deep, nil},
		{"an object that is always there", "payload.a.b", filled, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, faults := spec.Read(specFile, []byte(showing(test.properties, strings.Fields(test.rows)...)))
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

func TestTextsShowWhatIsAlwaysThere(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, schema string
		shown        bool
	}{
		{"a string that is there", "required: [a], properties: {a: {type: string}}", true},
		{"a string with a default", "properties: {a: {type: string, default: x}}", true},
		{"a string that may be absent", "properties: {a: {type: string}}", false},
		{"a string that may be null", "required: [a], properties: {a: {type: [string, 'null']}}", false},
		{"a string that may be both", "properties: {a: {type: [string, 'null']}}", false},
		{"an integer that may be both", "properties: {a: {type: [integer, 'null']}}", false},
		{"any value, null among them", "required: [a], properties: {a: {}}", true}, // as JSON, with its quotes
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, texts := range []string{"summary: 'Change ${payload.a}'", "summary: Change it.\n    diff: [{label: 'of ${payload.a}', known_after_apply: true}]"} {
				_, faults := spec.Read(specFile, []byte(`
version: 1
package: things
server: {name: things}
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, `+test.schema+`}
    observe: none
    apply: go
    undo: none
    `+texts+"\n"))
				if shown := len(faults) == 0; shown != test.shown {
					t.Errorf("%s: shown: %v, %v", texts, shown, faults)
				}
			}
		})
	}
}
