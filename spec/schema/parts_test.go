package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/spec/schema"
)

// A server takes too long to read more, so that what it would refuse at its start is refused when its code is generated.
func TestSchemasOfMorePartsThanAreReadAreRefused(t *testing.T) {
	t.Parallel()
	const most = 5000 // with the root
	for _, parts := range []int{most, most + 1} {
		var flow strings.Builder
		for i := range parts - 1 {
			fmt.Fprintf(&flow, "p%d: {type: boolean}, ", i)
		}
		reader := schema.NewReader(nil)
		root := reader.Read(parse(t, properties(flow.String())).Get("schema"), place, schema.Options{})
		refused := len(reader.Suspects()) > 0 && strings.Contains(reader.Suspects()[0].Message, "there are 5001 schemas in it")
		if refused != (parts > most) || refused != (root.JSON == nil) {
			t.Errorf("%d parts: %v, %v", parts, reader.Faults(), reader.Suspects())
		}
	}
}
