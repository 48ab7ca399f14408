package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link matches where a link of a page leads.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

func TestLinksLeadToFiles(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, page := range pages {
		for _, to := range linksOf(t, page) {
			path, _, _ := strings.Cut(to, "#")
			if path == "" || strings.Contains(path, "://") {
				continue
			}
			if _, err := os.Stat(filepath.FromSlash(path)); err != nil {
				t.Errorf("%s leads to %s: %v", page, to, err)
			}
		}
	}
}

// Whoever reads what holds finds by what means, and what to do about it.
func TestPagesOnSafetyLeadToOneAnother(t *testing.T) {
	t.Parallel()
	pages := []string{guarantees, securityModel, "operating.md"}
	for _, page := range pages {
		led := strings.Join(linksOf(t, page), " ")
		for _, other := range pages {
			if other != page && !strings.Contains(led, other) {
				t.Errorf("%s has no link to %s", page, other)
			}
		}
	}
}

func linksOf(t *testing.T, page string) (all []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, found := range link.FindAllStringSubmatch(string(text), -1) {
		all = append(all, found[1])
	}
	return all
}
