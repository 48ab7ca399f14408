package runtime

import (
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// checksShown is the table of the security model that shows the order of the checks: a column each for apply and undo.
var (
	checksShown = regexp.MustCompile(`(?m)^\| \d+ \|(.*)\|(.*)\|$`)
	codeShown   = regexp.MustCompile("`([a-z_]+)`")
)

func TestSecurityModelShowsTheChecksInTheirOrder(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/security-model.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := checksShown.FindAllStringSubmatch(string(page), -1)
	for column, p := range map[int]purpose{1: forApply, 2: forUndo} {
		var shown, made []string
		for _, row := range rows {
			for _, code := range codeShown.FindAllStringSubmatch(row[column], -1) {
				shown = append(shown, code[1])
			}
		}
		for _, check := range checksOf(p) {
			made = append(made, check.code)
		}
		if diff := cmp.Diff(slices.Compact(made), shown); diff != "" {
			t.Errorf("the checks of %s (-made +shown):\n%s", p.verb(), diff)
		}
	}
}
