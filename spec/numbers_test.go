package spec_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

// Servers hand their schemas to libraries and clients that read numbers as doubles, and fail on a schema with one that is
// beyond them.
func TestSchemasHoldNoNumberThatADoubleCannot(t *testing.T) {
	t.Parallel()
	const withNumber = `
version: 1
package: things
server: {name: things}
$defs: {A: {type: array, items: {type: number}, default: [%s]}}
operations:
  set_thing:
    description: Change a thing.
    payload: {type: object, properties: {a: %s, b: {$ref: '#/$defs/A'}}}
    observe: none
    summary: Change it.
    diff: [{label: all, after: payload}]
    apply: go
    undo: none
`
	for _, property := range []string{
		"{type: number, maximum: %s}", "{type: number, minimum: -%s}", "{type: number, exclusiveMaximum: %s}", "{type: integer, maximum: %s}",
		"{type: number, default: %s}", "{type: number, enum: [1, %s]}", "{type: number, const: %s}", "{type: number, multipleOf: %s}",
		"{type: number, examples: [%s]}", "{const: {x: [%s]}}", "{type: object, additionalProperties: {type: number}, default: {x: %s}}",
		"{type: object, properties: {x: {not: {const: %s}}}}", "{anyOf: [{type: string}, {type: number, maximum: %s}]}",
	} {
		for number, taken := range map[string]bool{
			"1.7976931348623157e308": true, "17976931348623157" + strings.Repeat("0", 292): true,
			"1.8e308": false, "1e400": false, "1" + strings.Repeat("0", 309): false, "0.1e310": false,
		} {
			checked, faults := spec.Read(specFile, fmt.Appendf(nil, withNumber, number, fmt.Sprintf(property, number)))
			if !taken {
				if len(faults) == 0 || faults[0].Code != diag.NumberLimits {
					t.Errorf(property+": %v", number, faults)
				}
				continue
			}
			if len(faults) > 0 {
				t.Errorf(property+": %v", number, faults)
				continue
			}
			var read any
			for _, handed := range checked.Schemas {
				if err := json.Unmarshal(handed.JSON, &read); err != nil {
					t.Errorf(property+": %v", number, err)
				}
			}
		}
	}
}
