package docs_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// codes is the document that says what each code means.
const codes = "codes.md"

// code matches the value of a code where it is declared, and quotedWord a name in the first column of a table.
var (
	code       = regexp.MustCompile(`\bCode\s*=\s*"([a-z_]+)"`)
	quotedWord = regexp.MustCompile("`([a-z_]+)`")
)

// An agent can be answered with every code that the runtime declares, and with no other.
func TestEveryCodeIsExplainedOnce(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../runtime/errors.go")
	if err != nil {
		t.Fatal(err)
	}
	explained := codesExplained(t)
	declared := code.FindAllStringSubmatch(string(source), -1)
	if len(declared) == 0 {
		t.Fatal("the runtime declares no codes: has their form changed?")
	}
	for _, c := range declared {
		if explained[c[1]] != 1 {
			t.Errorf("%s explains %s %d times, want once", codes, c[1], explained[c[1]])
		}
		delete(explained, c[1])
	}
	for name := range explained {
		t.Errorf("%s explains %s, which the runtime does not have", codes, name)
	}
}

// codesExplained counts how often a code is in the first column of a table.
func codesExplained(t *testing.T) map[string]int {
	t.Helper()
	page, err := os.ReadFile(codes)
	if err != nil {
		t.Fatal(err)
	}
	explained := make(map[string]int)
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, name := range quotedWord.FindAllStringSubmatch(cells[1], -1) {
			explained[name[1]]++
		}
	}
	return explained
}
