package generator_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
	"github.com/changesetgen/changesetgen/spec/expr"
	"github.com/changesetgen/changesetgen/spec/schema"
	"github.com/google/go-cmp/cmp"
)

func ExampleGenerate() {
	src := []byte(`
version: 1
package: notes
server: {name: notes}
operations:
  write_note:
    description: Write a note.
    observe: none
    payload:
      type: object
      required: [text]
      properties: {text: {type: string}}
    summary: Write ${payload.text}
    apply: go
    undo: none
`)
	s, faults := spec.Read("notes.changeset.yaml", src)
	if len(faults) > 0 {
		fmt.Println(faults)
		return
	}
	files, err := generator.Generate(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Println(name)
	}
	// Output:
	// notes.changeset.go
	// notes.changeset.json
	// notes.write_note.changeset.go
}

func TestFilesThatArePrintedAtOnceAreAlwaysTheSame(t *testing.T) {
	t.Parallel()
	src := manyOperations(t, 50)
	first := generateFrom(t, "spec.changeset.yaml", src)
	if diff := cmp.Diff(first, generateFrom(t, "spec.changeset.yaml", src)); diff != "" || len(first) != 52 {
		t.Errorf("%d files; the second run differs (-first +second):\n%s", len(first), diff)
	}
}

// unknownNode is an expression that the generator has no Go for.
type unknownNode struct{ expr.Node }

func (unknownNode) Pos() diag.Pos { return diag.Pos{File: "a.yaml", Line: 3, Column: 4} }

func TestGenerateFailsWithThePlaceOfAnExpressionItCannotWrite(t *testing.T) {
	t.Parallel()
	for name, node := range map[string]expr.Node{
		"unknown kind": unknownNode{},
		"out of scope": &expr.Path{Root: expr.Result, At: unknownNode{}.Pos()},
	} {
		s := &spec.Spec{File: "a.yaml", Stem: "a", Package: "a", Operations: []*spec.Operation{{
			Name: "op", GoName: "Op", Resource: &spec.Resource{Name: "op", GoName: "Op"},
			Payload: &schema.Type{Kind: schema.Object, GoName: "OpPayload"},
			Summary: &expr.Template{Parts: []expr.Part{{Expr: node}}},
		}}}
		if _, err := generator.Generate(s); err == nil || !strings.Contains(err.Error(), "a.yaml:3:4: ") {
			t.Errorf("%s: Generate() = %v, want an error with its place", name, err)
		}
	}
}

func TestConfigHasOperationsOnlyIfSomethingIsWrittenByHand(t *testing.T) {
	t.Parallel()
	for body, want := range map[spec.BodyKind]bool{spec.BodyNone: false, spec.BodyGo: true} {
		s := &spec.Spec{File: "a.yaml", Stem: "a", Package: "a", Operations: []*spec.Operation{{
			Name: "op", GoName: "Op", Resource: &spec.Resource{Name: "op", GoName: "Op"}, Apply: body,
			Payload: &schema.Type{Kind: schema.Object, GoName: "OpPayload"}, Summary: &expr.Template{},
		}}}
		files, err := generator.Generate(s)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(string(files["a.changeset.go"]), "Operations Operations"); got != want {
			t.Errorf("with body %d, Config has Operations: %t, want %t", body, got, want)
		}
	}
}

func TestGenerateRefusesASchemaThatIsNotJSON(t *testing.T) {
	t.Parallel()
	s := &spec.Spec{File: "a.yaml", Stem: "a", Package: "a", Schemas: []spec.Schema{{Name: "op.payload", JSON: []byte(`{"type":`)}}}
	if _, err := generator.Generate(s); err == nil || !strings.Contains(err.Error(), "op.payload") {
		t.Errorf("Generate() = %v, want an error that names the schema", err)
	}
}

// FuzzAcceptedSpecsGenerate looks for a spec that is accepted and then cannot be generated, or not parsed as Go: Render
// fails on what does not parse.
func FuzzAcceptedSpecsGenerate(f *testing.F) {
	addGoldens(f)
	f.Fuzz(func(t *testing.T, src string) {
		s, faults := spec.Read("spec.changeset.yaml", []byte(src))
		if len(faults) > 0 {
			return
		}
		if _, err := generator.Generate(s); err != nil {
			t.Errorf("Generate: %v", err)
		}
	})
}

// addGoldens takes every spec of testdata/golden for a seed.
func addGoldens(f *testing.F) {
	f.Helper()
	paths, err := filepath.Glob("../testdata/golden/*/spec.changeset.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range paths {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(src))
	}
}
