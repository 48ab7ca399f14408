package postgres_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestAProgramThatKeepsALedgerInPostgreSQLLinksNothingElse keeps the cost of a store to what it needs.
func TestAProgramThatKeepsALedgerInPostgreSQLLinksNothingElse(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	const module = "github.com/changesetgen/changesetgen/"
	for _, path := range strings.Fields(string(out)) {
		ours, isOurs := strings.CutPrefix(path, module)
		if isOurs && ours != "runtime/ledger" && ours != "runtime/ledger/postgres" && !strings.HasPrefix(ours, "runtime/ledger/internal/") {
			t.Errorf("the store links %s", path)
		}
		for _, heavy := range []string{"yaml", "jennifer", "modelcontextprotocol", "jsonschema", "modernc.org"} {
			if strings.Contains(path, heavy) {
				t.Errorf("the store links %s", path)
			}
		}
	}
}
