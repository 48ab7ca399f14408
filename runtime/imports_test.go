package runtime_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// A program that guards changes links no store that it did not choose, no generator and no YAML.
func TestRuntimeLinksNoStoreAndNoGenerator(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	const module = "github.com/changesetgen/changesetgen/"
	allowed := []string{"internal/format", "internal/plural", "runtime", "runtime/exact", "runtime/ledger"}
	for _, path := range strings.Fields(string(out)) {
		own, ours := strings.CutPrefix(path, module)
		ours = ours && !slices.Contains(allowed, own) && !strings.HasPrefix(own, "runtime/internal/")
		if ours || strings.Contains(path, "sqlite") || strings.Contains(path, "yaml") || path == "database/sql" || strings.Contains(path, "jennifer") {
			t.Errorf("runtime links %s", path)
		}
	}
}
