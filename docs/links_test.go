package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)      // where a link of a page leads
	heading = regexp.MustCompile(`(?m)^#{1,6} (.+)$`)    // a heading, or a comment in a block of commands, which does no harm
	pages   = []string{"*.md", "../*.md", "../*/*/*.md"} // of this repository
)

func TestLinksLeadToFilesAndHeadings(t *testing.T) {
	t.Parallel()
	for _, page := range pagesHere(t) {
		for _, to := range linksOf(t, page) {
			if strings.Contains(to, "://") {
				continue
			}
			path, anchor, _ := strings.Cut(to, "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s leads to %s: %v", page, to, err)
			} else if anchor != "" && !anchorsOf(t, target)[anchor] {
				t.Errorf("%s leads to %s, and there is no such heading", page, to)
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

func pagesHere(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range pages {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no pages like %s: %v", pattern, err)
		}
		all = append(all, found...)
	}
	return all
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

// anchorsOf are the names that GitHub gives to the headings of a page.
func anchorsOf(t *testing.T, page string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, found := range heading.FindAllStringSubmatch(string(text), -1) {
		all[strings.Map(inAnchor, strings.ToLower(found[1]))] = true
	}
	return all
}

// inAnchor is what becomes of a character of a heading.
func inAnchor(r rune) rune {
	switch {
	case r == ' ':
		return '-'
	case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
		return r
	}
	return -1
}
