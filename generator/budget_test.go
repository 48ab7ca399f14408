package generator_test

import (
	"os"
	"strings"
	"testing"
)

// maxLines is what one more operation with eight payload fields may add: compiling it is what users pay for.
const maxLines = 100

func TestOperationWithEightFieldsStaysWithinItsLines(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("../testdata/golden/product/spec.changeset.yaml")
	if err != nil {
		t.Fatal(err)
	}
	one := string(src)
	_, operation, found := strings.Cut(one, "\noperations:\n")
	if !found {
		t.Fatal("the spec has no operations at its end")
	}
	two := one + strings.ReplaceAll(operation, "update_product", "change_product")
	added := goLines(t, two) - goLines(t, one)
	if added > maxLines || added < maxLines/2 {
		t.Errorf("one more operation adds %d lines, want at most %d (and a count that can be believed)", added, maxLines)
	}
}

// goLines counts the lines of all Go files that a spec becomes.
func goLines(t *testing.T, spec string) int {
	t.Helper()
	lines := 0
	for name, text := range generateFrom(t, "spec.changeset.yaml", []byte(spec)) {
		if strings.HasSuffix(name, ".go") {
			lines += strings.Count(text, "\n")
		}
	}
	return lines
}
