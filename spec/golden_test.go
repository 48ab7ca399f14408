package spec_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/changesetgen/changesetgen/spec"
	"github.com/changesetgen/changesetgen/spec/diag"
)

var update = flag.Bool("update", false, "write what negative golden cases print into their stderr files")

// specFile is what the spec of a golden case is called, and so what its messages begin with.
const specFile = "spec.changeset.yaml"

// A golden case with a file stderr is a spec that is refused, with all that is said about it.
func TestReadSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	wants, err := filepath.Glob(filepath.Join("..", "testdata", "golden", "*", "stderr"))
	if err != nil || len(wants) == 0 {
		t.Fatalf("no golden cases: %v", err)
	}
	for _, want := range wants {
		dir := filepath.Dir(want)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(filepath.Join(dir, specFile))
			if err != nil {
				t.Fatal(err)
			}
			checked, faults := spec.Read(specFile, src)
			if checked != nil || len(faults) == 0 {
				t.Error("the spec is accepted")
			}
			compare(t, want, printed(t, faults, src))
		})
	}
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// A golden case without a file stderr is a spec that generates code.
func TestReadAcceptsWhatGeneratesCode(t *testing.T) {
	t.Parallel()
	specs, err := filepath.Glob(filepath.Join("..", "testdata", "golden", "*", specFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range specs {
		dir := filepath.Dir(path)
		if _, err := os.Stat(filepath.Join(dir, "stderr")); err == nil {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, faults := spec.Read(specFile, src); len(faults) > 0 {
				t.Error(printed(t, faults, src))
			}
		})
	}
}

// printed is the list as the command prints it.
func printed(t *testing.T, faults diag.List, src []byte) string {
	t.Helper()
	var out bytes.Buffer
	if err := faults.Write(&out, map[string][]byte{specFile: src}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
