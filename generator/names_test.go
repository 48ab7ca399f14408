package generator_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/generator"
	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/schema"
	"github.com/google/go-cmp/cmp"
)

// hostileNames are words of Go and of generated code, names that are none in Go, and names that become the same.
var hostileNames = []string{
	"type", "func", "string", "nil", "error", "context", "json", "runtime", "cfg", "c", "p", "s", "args", "err",
	"3gpp", "6to4Interface", "1st", "_", "$meta", "filter-query", "日本", "", "-", "--", "a,b", `"`, "`", `\`, "\n", "a b", "\u2028", "😀",
	"user_id", "userId", "user__id", "user_id2", "user_id_2", "URLs", "ß", "ǆ", "e\u0301", "+1", "-1", "<=", "1.10", "11.0",
	"delete", "init", "change", "payload", "state", "result", "applied", "operations", "config", "register", "changeset",
	"additional_properties", "AdditionalProperties", "marshal_json", "item", "after", "observe", "columns",
}

// goNames are names that an author may choose, and those that are taken.
var goNames = []string{"Own", "Payload", "State", "AdditionalProperties", "MarshalJSON", "Operations", "ID", "X3gpp", "lower", "日", "A_B"}

// namesSpec is a spec in which every kind of thing has a name of the caller's.
func namesSpec(first, second, value, operation, goName string) []byte {
	quote := func(name string) string {
		quoted, err := json.Marshal(name)
		if err != nil {
			panic(err)
		}
		return string(quoted)
	}
	override := ""
	if goName != "" {
		override = `, "x-go-name": ` + quote(goName)
	}
	object := fmt.Sprintf(`{"type": "object", "properties": {%s: {"type": "object", "properties": {}}, %s: {"enum": [%s, "a"]%s}}}`,
		quote(first), quote(second), quote(value), override)
	branch := `{"type": "object", "required": ["kind"], "properties": {"kind": {"const": %s}}}`
	result := fmt.Sprintf(`{"type": "object", "properties": {"own": {"$ref": %s}, "all": %s, "choice": {"oneOf": [`+branch+", "+branch+`]}}}`,
		quote("#/$defs/"+operation), object, quote(first), quote(second))
	return fmt.Appendf(nil, `{
"version": 1, "package": "fuzz", "server": {"name": "fuzz"}, "connections": {%[1]s: {"sql": "sqlite"}},
"$defs": {%[1]s: {"type": "object", "properties": {}}},
"resources": {%[1]s: {"observe": {"db": %[1]s, "sql": "SELECT 1"}, "state": %[2]s}},
"defaults": {"description": "D.", "payload": %[2]s, "result": %[3]s, "summary": "Do ${payload}", "apply": "go", "undo": "go"},
"operations": {%[1]s: {"resource": %[1]s}, "set_thing": {"observe": "go", "state": %[2]s}}}`, quote(operation), object, result)
}

// FuzzAnyNamesAreRefusedInTheirPlaceOrGenerateCodeThatTypeChecks gives any names to what a spec declares. A name is never
// changed in JSON, and never lost.
func FuzzAnyNamesAreRefusedInTheirPlaceOrGenerateCodeThatTypeChecks(f *testing.F) {
	for i, first := range hostileNames {
		second := hostileNames[(i+1)%len(hostileNames)]
		f.Add(first, second, first, "set_other", "")
		f.Add(first, "plain", second, "set_other", goNames[i%len(goNames)])
		f.Add("plain", first, "plain", first, "")
	}
	imports := dependencies(f)
	f.Fuzz(func(t *testing.T, first, second, value, operation, goName string) {
		src := namesSpec(first, second, value, operation, goName)
		s, faults := spec.Read("fuzz.changeset.yaml", src)
		for _, fault := range faults {
			if fault.Pos.Line == 0 || fault.Message == "" {
				t.Errorf("%v has no place", fault)
			}
		}
		if len(faults) > 0 {
			return
		}
		files, err := generator.Generate(s)
		if err != nil {
			t.Fatalf("Generate: %v\n%s", err, src)
		}
		if err := typeCheck(files, imports); err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		checkTags(t, files, s.Operations[0].Payload, first, second)
	})
}

// checkTags looks whether the properties of a payload, and nothing else, are named in the tags of its struct. Those that
// no tag can say are kept with the properties that have no field.
func checkTags(t *testing.T, files map[string][]byte, payload *schema.Type, properties ...string) {
	t.Helper()
	tags := jsonNames(t, files, payload.GoName)
	for _, property := range properties {
		property = strings.ToValidUTF8(property, "\ufffd") // which is what JSON makes of it
		if !slices.Contains(tags, property) && payload.Others == nil {
			t.Errorf("property %q is none of %q", property, tags)
		}
	}
	for _, tag := range tags {
		if tag != "" && !slices.Contains(properties, tag) {
			t.Errorf("the tag %q is that of no property", tag)
		}
	}
}

// jsonNames are the names in the json tags of a generated struct.
func jsonNames(t *testing.T, files map[string][]byte, goName string) []string {
	t.Helper()
	var names []string
	for name, content := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			declared, ok := n.(*ast.TypeSpec)
			if !ok || declared.Name.Name != goName {
				return true
			}
			for _, field := range declared.Type.(*ast.StructType).Fields.List {
				tag, err := strconv.Unquote(field.Tag.Value)
				if err != nil {
					t.Fatal(err)
				}
				name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
				names = append(names, name)
			}
			return false
		})
	}
	return names
}

// The reader of a spec keeps names apart that it knows of, so that it has to know all that are declared.
func TestEveryDeclarationHasANameThatTheSpecGave(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(g.spec)
			if err != nil {
				t.Fatal(err)
			}
			s, faults := spec.Read(filepath.Base(g.spec), src)
			if len(faults) > 0 {
				t.Fatal(faults)
			}
			if diff := cmp.Diff(givenNames(s), declaredNames(t, files(t, g.want))); diff != "" {
				t.Errorf("(-given +declared):\n%s", diff)
			}
		})
	}
}

// givenNames are the names of a spec that its package declares, sorted.
func givenNames(s *spec.Spec) []string {
	names := []string{spec.OperationsName, spec.ConfigName, spec.RegisterName, spec.SpecName, spec.SchemasName}
	declare := func(types []*schema.Type) {
		for _, t := range types {
			for _, thing := range t.Declares() {
				names = append(names, thing.GoName)
			}
		}
	}
	declare(s.Defs)
	for _, r := range s.Resources {
		declare(r.Types)
		declared := r.Names()
		names = append(names, declared.Columns, declared.Look, declared.After)
	}
	for _, op := range s.Operations {
		declare(op.Types)
		declared := op.Names()
		names = append(names, declared.Build, declared.Change, declared.Applied, declared.Doubtful)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// declaredNames are the names that the files of a package declare in it, sorted.
func declaredNames(t *testing.T, files map[string]string) []string {
	t.Helper()
	var names []string
	for name, content := range files {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, content, 0)
		if err != nil {
			t.Fatal(err)
		}
		names = slices.AppendSeq(names, maps.Keys(file.Scope.Objects))
	}
	slices.Sort(names)
	return names
}
