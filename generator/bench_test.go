package generator_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/spec"
)

// benchOperations is how many operations the spec of the benchmarks has: more than anybody's has.
const benchOperations = 1000

func BenchmarkRead(b *testing.B) {
	src := manyOperations(b, benchOperations)
	b.ReportAllocs()
	for b.Loop() {
		if _, faults := spec.Read("spec.changeset.yaml", src); len(faults) > 0 {
			b.Fatal(faults)
		}
	}
}

func BenchmarkGenerate(b *testing.B) {
	s, faults := spec.Read("spec.changeset.yaml", manyOperations(b, benchOperations))
	if len(faults) > 0 {
		b.Fatal(faults)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := generator.Generate(s); err != nil {
			b.Fatal(err)
		}
	}
}

// manyOperations is a spec of n operations of eight fields that look at the same resource.
func manyOperations(t testing.TB, n int) []byte {
	t.Helper()
	src, err := os.ReadFile("../testdata/golden/product/spec.changeset.yaml")
	if err != nil {
		t.Fatal(err)
	}
	head, operation, found := strings.Cut(string(src), "\noperations:\n")
	if !found || strings.Count(operation, "update_product") != 1 {
		t.Fatal("the spec does not end in one operation")
	}
	var many strings.Builder
	many.WriteString(head + "\noperations:\n")
	for i := range n {
		many.WriteString(strings.Replace(operation, "update_product", fmt.Sprintf("update_product_%d", i), 1))
	}
	return []byte(many.String())
}
