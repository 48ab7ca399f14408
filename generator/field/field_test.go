// Package field_test takes schemas that others have written through the spec, the generator and a real server: those of
// the tools of real MCP servers, and the official JSON-Schema-Test-Suite. They are not part of this module. Where their
// folder is not beside it, the tests are skipped.
package field_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// folder is where the schemas are, seen from here.
var folder = filepath.Join("..", "..", "..", "shared", "field")

// sources are the files of the folder that match a pattern.
func sources(t *testing.T, pattern string) []string {
	t.Helper()
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: there are no schemas from the field at %s", folder)
	}
	paths, err := filepath.Glob(filepath.Join(folder, filepath.FromSlash(pattern)))
	if err != nil || len(paths) == 0 {
		t.Fatalf("nothing in %s matches %s: %v", folder, pattern, err)
	}
	return paths
}

// load decodes a file. Numbers within an any keep their spelling.
func load(t *testing.T, path string, v any) {
	t.Helper()
	content, err := os.ReadFile(path)
	check(t, "read", err)
	decodeTo(t, content, v)
}

// decode decodes JSON. Numbers keep their spelling.
func decode(t *testing.T, text []byte) (v any) {
	t.Helper()
	decodeTo(t, text, &v)
	return v
}

func decodeTo(t *testing.T, text []byte, v any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

func check(t *testing.T, doing string, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", doing, err)
	}
}
