package field_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modulePath is the path of a module that a test makes.
const modulePath = "example.org/field"

// module is a temporary module of generated packages, in a workspace with this one, and a server of all of them.
type module struct {
	dir      string
	packages []string
}

func newModule(t *testing.T) *module {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	check(t, "find this module", err)
	m := &module{dir: t.TempDir()}
	m.write(t, "go.mod", "module "+modulePath+"\n\ngo 1.26\n")
	m.write(t, "go.work", fmt.Sprintf("go 1.26.0\n\nuse (\n\t.\n\t%q\n)\n", root))
	main, err := os.ReadFile(filepath.Join("testdata", "server", "main.go"))
	check(t, "read the server", err)
	m.write(t, "main.go", string(main))
	return m
}

// add writes a generated package.
func (m *module) add(t *testing.T, name string, files map[string][]byte) {
	t.Helper()
	m.packages = append(m.packages, name)
	for file, content := range files {
		m.write(t, filepath.Join(name, file), string(content))
	}
}

// vet compiles and vets all packages in one run, and the server with them.
func (m *module) vet(t *testing.T) {
	t.Helper()
	m.list(t)
	if out, err := m.command("vet", "./...").CombinedOutput(); err != nil {
		t.Fatalf("go vet: %v\n%s", err, out)
	}
	t.Logf("%d packages compile and vet", len(m.packages))
}

// build builds the server.
func (m *module) build(t *testing.T) string {
	t.Helper()
	m.list(t)
	binary := filepath.Join(m.dir, "server.exe") // the name does on every system
	if out, err := m.command("build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return binary
}

// list writes the file that names all packages to the server. No body is ever called, so there are none.
func (m *module) list(t *testing.T) {
	t.Helper()
	var imports, registers strings.Builder
	for _, name := range m.packages {
		fmt.Fprintf(&imports, "\t%q\n", modulePath+"/"+name)
		fmt.Fprintf(&registers, "\tfunc(server *mcp.Server, guard *runtime.Guard) error {\n"+
			"\t\treturn %[1]s.Register(server, guard, %[1]s.Config{Operations: struct{ %[1]s.Operations }{}})\n\t},\n", name)
	}
	m.write(t, "packages.go", "package main\n\nimport (\n"+imports.String()+
		"\n\t\"github.com/changesetgen/changesetgen/runtime\"\n\t\"github.com/modelcontextprotocol/go-sdk/mcp\"\n)\n\n"+
		"var packages = []func(*mcp.Server, *runtime.Guard) error{\n"+registers.String()+"}\n")
}

func (m *module) command(args ...string) *exec.Cmd {
	cmd := exec.Command("go", args...)
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK="+filepath.Join(m.dir, "go.work"))
	return cmd
}

func (m *module) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(m.dir, name)
	check(t, "make a folder", os.MkdirAll(filepath.Dir(path), 0o777))
	check(t, "write", os.WriteFile(path, []byte(text), 0o666))
}
