package docs_test

import (
	"os"
	"regexp"
	"testing"
)

// Whoever adds a guard to a server that is there is told which versions that brings.
func TestPageNamesTheVersionsThatAServerGets(t *testing.T) {
	t.Parallel()
	module, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../examples/settings/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, needed := range []struct{ inModule, onPage string }{
		{`(?m)^go (\d+\.\d+)`, `It needs Go (\d+\.\d+)`},
		{`modelcontextprotocol/go-sdk (v[\d.]+)`, `to (v[\d.]+) of the SDK`},
		{`modernc.org/sqlite (v[\d.]+)`, "(v[\\d.]+) of `modernc.org/sqlite`"},
	} {
		want := regexp.MustCompile(needed.inModule).FindSubmatch(module)
		got := regexp.MustCompile(needed.onPage).FindSubmatch(page)
		if want == nil || got == nil || string(want[1]) != string(got[1]) {
			t.Errorf("go.mod has %q for %s, and the page %q", want, needed.inModule, got)
		}
	}
}
