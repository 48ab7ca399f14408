package conform

import (
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/document"
)

// dependency is where the keyword stands of an error about a key that another one needs: before the name of that key, and
// the place in the list of those that it needs.
const dependency = "/dependentRequired/"

// missingBeside reports a key that another key of a map needs; ok is false of any other error.
func (s *Schema) missingBeside(node *document.Node, e *jsonschema.ValidationError) (faults diag.List, ok bool) {
	i := strings.LastIndex(e.AbsoluteKeywordLocation, dependency)
	if i < 0 {
		return nil, false
	}
	given, place, _ := strings.Cut(e.AbsoluteKeywordLocation[i+len(dependency):], "/")
	schema, err := s.parts.compile(e.AbsoluteKeywordLocation[:i])
	number, wrong := strconv.Atoi(place)
	if err != nil || wrong != nil || node.Get(given) == nil || number >= len(schema.DependentRequired[given]) {
		return nil, false
	}
	lacks := schema.DependentRequired[given][number]
	return diag.List{node.Get(given).KeyFault(diag.MissingKey, "", "missing key %s beside %s", diag.Quote(lacks), diag.Quote(given))}, true
}
