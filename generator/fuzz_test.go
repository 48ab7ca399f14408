package generator_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/spec"
)

// around is a spec around the schema of a payload, with what is shown of it in the place of rows.
const around = `version: 1
package: fuzz
server: {name: fuzz}
operations:
  try:
    observe: none
    summary: Try
    diff: rows
    apply: go
    undo: none
    payload:
`

// rowsAround are what may stand in the place of rows: the payload as a whole, each property, and the items of one.
var rowsAround = []string{"[{label: payload, after: payload}]", "auto", "[{label: payload, after: payload}, {each: payload.a, label: '${payload}', after: item}]"}

// FuzzSchemaBecomesCodeThatTypeChecks takes any text for the schema of a payload: whatever is accepted becomes a package
// without an error, whatever is not is refused in its place.
func FuzzSchemaBecomesCodeThatTypeChecks(f *testing.F) {
	specs, err := filepath.Glob("../testdata/golden/*/spec.changeset.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, path := range specs {
		src, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		for _, payload := range payloads(string(src)) {
			f.Add(payload)
		}
	}
	for _, seed := range []string{
		`{type: object, properties: {a: {type: string}, A: {type: integer}}}`,
		`{type: object, properties: {func: {type: string}, string: {enum: [nil, true]}, json: {type: array, items: {type: number}}}}`,
		`{type: object, properties: {"": {}, "-": true, "a,b": {type: boolean}, "3gpp": {type: [integer, "null"]}, 日本: {const: x}}}`,
		`{type: object, additionalProperties: {type: array, items: {type: object, properties: {a: {$ref: "#"}}}}}`,
		`{type: object, properties: {a: {oneOf: [{type: object, required: [k], properties: {k: {const: b}}}, {type: object, required: [k], properties: {k: {const: c}}}]}}}`,
		`{type: object, properties: {a: {type: integer, minimum: 1e30}, b: {enum: [1, 2]}, c: {prefixItems: [{type: string}]}, d: {type: string, format: date-time}}}`,
		`{type: object, properties: {a: {type: [array, "null"], items: {type: [object, "null"], properties: {b: {type: array}}}}, b: {x-sensitive: true}}}`,
		`{type: object, properties: {a: {type: array, items: {type: object, properties: {b: {type: string, x-sensitive: true}}}}}}`,
		`{type: object, $defs: {a: {type: array, items: {$ref: "#/$defs/a"}}}, properties: {a: {$ref: "#/$defs/a"}, b: {$ref: "#/$defs/a"}}}`,
	} {
		f.Add(seed)
	}
	imports := dependencies(f)
	f.Fuzz(func(t *testing.T, schema string) {
		for _, rows := range rowsAround {
			checkGenerated(t, strings.Replace(around, "rows", rows, 1)+"      "+strings.ReplaceAll(schema, "\n", "\n      ")+"\n", imports)
		}
	})
}

// checkGenerated generates what a spec says, if it is accepted.
func checkGenerated(t *testing.T, text string, imports types.Importer) {
	t.Helper()
	src := []byte(text)
	s, faults := spec.Read("fuzz.changeset.yaml", src)
	for _, fault := range faults {
		if fault.Pos.Line == 0 {
			t.Errorf("%v has no place", fault)
		}
	}
	if len(faults) > 0 {
		if err := faults.Write(io.Discard, map[string][]byte{"fuzz.changeset.yaml": src}); err != nil {
			t.Error(err)
		}
		return
	}
	files, err := generator.Generate(s)
	if err != nil {
		t.Fatalf("Generate: %v", err)
	}
	if err := typeCheck(files, imports); err != nil {
		t.Error(err)
	}
}

// payloads are the schemas of payloads in the text of a spec, without their indentation.
func payloads(src string) []string {
	var found []string
	for _, block := range strings.Split(src, "\n    payload:\n")[1:] {
		var lines []string
		for line := range strings.Lines(block) {
			inner, ok := strings.CutPrefix(line, "      ")
			if !ok {
				break
			}
			lines = append(lines, inner)
		}
		found = append(found, strings.TrimSuffix(strings.Join(lines, ""), "\n"))
	}
	return found
}

// dependencies imports what generated code does, from what the compiler exports.
func dependencies(f *testing.F) types.Importer {
	f.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}}={{.Export}}", "embed", "../runtime", "../runtime/sqlop")
	out, err := list.Output()
	if err != nil {
		f.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, export, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = export
	}
	return importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("generated code imports %s", path)
		}
		return os.Open(exports[path])
	})
}

// typeCheck checks the Go files of a generated package.
func typeCheck(files map[string][]byte, imports types.Importer) error {
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(set, name, bytes.NewReader(files[name]), parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed = append(parsed, file)
	}
	config := types.Config{Importer: imports, GoVersion: "go1.26"}
	_, err := config.Check("fuzz", set, parsed, nil)
	return err
}
