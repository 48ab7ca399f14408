package generator_test

import (
	"os"
	"os/exec"
	"path/filepath"
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

// maxFunctions is what one more operation may add to what is compiled: the function that makes it, its three hooks, two
// wrappers for each of its two bodies, and one for the only method that a runtime.Operation has. A method more there, or
// one of a change, would be compiled again for each operation.
const maxFunctions = 9

func TestOneMoreOperationAddsFewFunctions(t *testing.T) {
	t.Parallel()
	module := newModule(t)
	added := functions(t, module, manyOperations(t, 12)) - functions(t, module, manyOperations(t, 11))
	if added > maxFunctions || added < maxFunctions/2 {
		t.Errorf("one more operation adds %d functions, want at most %d (and a count that can be believed)", added, maxFunctions)
	}
}

// functions counts what the compiler makes of the package that a spec becomes.
func functions(t *testing.T, module string, spec []byte) int {
	t.Helper()
	dir, err := os.MkdirTemp(module, "counted")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range generateFrom(t, "spec.changeset.yaml", spec) {
		write(t, filepath.Join(dir, name), text)
	}
	archive := filepath.Join(dir, "package.a")
	run := func(args ...string) string {
		command := exec.Command("go", args...)
		command.Dir = dir
		command.Env = append(os.Environ(), "GOWORK="+filepath.Join(module, workFile))
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	run("build", "-o", archive, ".")
	return strings.Count(run("tool", "nm", archive), " T ")
}
