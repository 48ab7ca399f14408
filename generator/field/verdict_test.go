package field_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// dialect is what schemas are read as. Naming it makes format an annotation.
const dialect = "https://json-schema.org/draft/2020-12/schema"

// judge is another validator of a schema.
func judge(t *testing.T, schema []byte) *jsonschema.Schema {
	t.Helper()
	var written map[string]any
	decodeTo(t, schema, &written)
	written["$schema"] = dialect
	compiler := jsonschema.NewCompiler()
	compiler.LoadURL = func(url string) (io.ReadCloser, error) { return nil, fmt.Errorf("nothing is loaded from %s", url) }
	const address = "field:///schema"
	check(t, string(schema), compiler.AddResource(address, bytes.NewReader(encode(written))))
	compiled, err := compiler.Compile(address)
	check(t, string(schema), err)
	return compiled
}

// fits tells whether a value fits a schema.
func fits(t *testing.T, judge *jsonschema.Schema, text []byte) bool {
	t.Helper()
	return judge.Validate(decode(t, text)) == nil
}

// judges are of the schema as it was written, and as clients are shown it.
type judges struct{ written, shown *jsonschema.Schema }

// checkVerdict holds a verdict against that of the schema as it was written: whatever is accepted fits that, and whatever
// fits it is accepted if nothing is added: with closing off, within what Go types hold, and without defaults, which may
// break what stands beside them. A client that validates by what it is shown sends whatever is accepted.
func (s *subject) checkVerdict(t *testing.T, by judges, sent []byte, got answer) {
	t.Helper()
	if got.accepted() {
		if !fits(t, by.written, got.Diff[0].After) {
			t.Errorf("%s: %s is accepted, and does not fit the schema as it was written", s.from, sent)
		}
		if !fits(t, by.shown, got.Diff[0].After) {
			t.Errorf("%s: %s is accepted, and does not fit the schema that clients are shown", s.from, sent)
		}
	}
	if got.refused() && s.open && !s.fills() && !got.isLimitedByGo() && fits(t, by.written, sent) {
		t.Errorf("%s: %s is %v, and fits the schema as it was written", s.from, sent, got)
	}
}

// isLimitedByGo tells whether a value is beyond its Go type: an int64, or the float64 that the author asked for.
func (a answer) isLimitedByGo() bool {
	violations := fmt.Sprint(a.Violations)
	return strings.Contains(violations, "922337203685477580") || strings.Contains(violations, "float64")
}
