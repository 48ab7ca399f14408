package generator_test

import (
	"strings"
	"testing"
)

// maxLines is what one more operation with eight payload fields may add: compiling it is what users pay for.
const maxLines = 100

func TestOperationWithEightFieldsStaysWithinItsLines(t *testing.T) {
	t.Parallel()
	added := goLines(t, manyOperations(t, 2)) - goLines(t, manyOperations(t, 1))
	if added > maxLines || added < maxLines/2 {
		t.Errorf("one more operation adds %d lines, want at most %d (and a count that can be believed)", added, maxLines)
	}
}

// goLines counts the lines of all Go files that a spec becomes.
func goLines(t *testing.T, spec []byte) int {
	t.Helper()
	lines := 0
	for name, text := range generateFrom(t, "spec.changeset.yaml", spec) {
		if strings.HasSuffix(name, ".go") {
			lines += strings.Count(text, "\n")
		}
	}
	return lines
}
