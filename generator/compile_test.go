package generator_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestGeneratedPackagesCompileAndVet builds and vets all goldens in one run.
func TestGeneratedPackagesCompileAndVet(t *testing.T) {
	t.Parallel()
	args := []string{"vet"}
	for _, g := range goldens(t) {
		args = append(args, "./"+filepath.ToSlash(g.want))
	}
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
		t.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// generatedMarker is what linters know generated files by.
var generatedMarker = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// TestGeneratedCodeIsCleanWithoutItsMarker runs staticcheck on copies of all goldens that do not look generated: in
// generated files it hides what it finds.
func TestGeneratedCodeIsCleanWithoutItsMarker(t *testing.T) {
	t.Parallel()
	staticcheck, err := exec.LookPath("staticcheck")
	if err != nil {
		t.Skip("staticcheck is not installed")
	}
	module := newModule(t)
	for _, g := range goldens(t) {
		for name, text := range generate(t, g.spec) {
			text = generatedMarker.ReplaceAllString(text, "// Written by hand.")
			write(t, filepath.Join(module, strings.ReplaceAll(g.name, " ", "_"), name), text)
		}
	}
	check := exec.Command(staticcheck, "-checks", "all", "./...")
	check.Dir = module
	check.Env = append(os.Environ(), "GOWORK="+filepath.Join(module, workFile))
	if out, err := check.CombinedOutput(); err != nil {
		t.Errorf("staticcheck: %v\n%s", err, out)
	}
}

// workFile joins the module of a test with this one, so that its packages find what they import.
const workFile = "go.work"

// newModule is the folder of a module without packages.
func newModule(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	module := t.TempDir()
	write(t, filepath.Join(module, "go.mod"), "module example.org/goldens\n\ngo 1.26\n")
	write(t, filepath.Join(module, workFile), fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n)\n", root))
	return module
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
