package docs_test

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// guarantees is the document whose promises name the tests that show them.
const guarantees = "guarantees.md"

// earlierSystems lists what earlier systems promise, a row each. It is not part of this repository.
const earlierSystems = "../../shared/design/catalogue.md"

var (
	declaredTest = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	namedTest    = regexp.MustCompile("`((?:Test|Fuzz|Example)\\w*(?:/\\w+)?)`")
	conformance  = regexp.MustCompile(`(?m)^\t\{"(\w+)", \w+\},$`)
	promise      = regexp.MustCompile(`^- `)
	catalogueRow = regexp.MustCompile(`^- ((CS|DN|SW)-\d+) [GRTEC] `)
	answeredRow  = regexp.MustCompile(`^\| ((?:CS|DN|SW)-\d+(?:, (?:CS|DN|SW)-\d+)*) \|`)
)

// A promise without a test is a limit or a decision, and says so.
func TestEveryPromiseNamesATestThatExists(t *testing.T) {
	t.Parallel()
	declared := declaredTests(t)
	promises := 0
	for number, line := range lines(t, guarantees) {
		named := namedTest.FindAllStringSubmatch(line, -1)
		for _, name := range named {
			if !declared[name[1]] {
				t.Errorf("%s:%d names %s, which no test file declares", guarantees, number+1, name[1])
			}
		}
		if !promise.MatchString(line) && !answeredRow.MatchString(line) {
			continue
		}
		promises++
		if len(named) == 0 && !strings.Contains(line, "**Limit.**") && !strings.Contains(line, "**Decision.**") {
			t.Errorf("%s:%d names no test, and is no limit and no decision: %s", guarantees, number+1, line)
		}
	}
	if promises == 0 {
		t.Errorf("%s has no promises: has its form changed?", guarantees)
	}
}

// conformanceSuite is what TestConformance of each store runs, a test for each promise.
const conformanceSuite = "../runtime/ledger/ledgertest/*.go"

func conformanceTests(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(conformanceSuite)
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", conformanceSuite, len(files), err)
	}
	declared := map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range conformance.FindAllSubmatch(source, -1) {
			declared["TestConformance/"+string(name[1])] = true
		}
	}
	return declared
}

// Approval channels and bulk changes bring the rows that are left out.
var laterRows = slices.Concat(rows("CS-", 30, 36), rows("SW-", 39, 52), []string{"DN-44", "DN-48"})

func TestWhatEarlierSystemsPromiseIsAnswered(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(earlierSystems); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("%s is not here", earlierSystems)
	}
	answered := map[string]bool{}
	for _, line := range lines(t, guarantees) {
		row := answeredRow.FindStringSubmatch(line)
		if row == nil {
			continue
		}
		for name := range strings.SplitSeq(row[1], ", ") {
			if answered[name] {
				t.Errorf("%s answers %s twice", guarantees, name)
			}
			answered[name] = true
		}
	}
	wanted := 0
	for _, line := range lines(t, earlierSystems) {
		row := catalogueRow.FindStringSubmatch(line)
		if row == nil || slices.Contains(laterRows, row[1]) {
			continue
		}
		wanted++
		if !answered[row[1]] {
			t.Errorf("%s does not answer %s", guarantees, strings.TrimPrefix(line, "- "))
		}
	}
	if wanted == 0 {
		t.Errorf("%s has no rows: has its form changed?", earlierSystems)
	}
}

// rows are the numbered names from first to last.
func rows(prefix string, first, last int) (names []string) {
	for n := first; n <= last; n++ {
		names = append(names, fmt.Sprintf("%s%02d", prefix, n))
	}
	return names
}

// declaredTests are the names of all tests of the repository, wherever they are.
func declaredTests(t *testing.T) map[string]bool {
	t.Helper()
	declared := conformanceTests(t)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && entry.Name() == ".git" { // where directories come and go
			return filepath.SkipDir
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, name := range declaredTest.FindAllSubmatch(source, -1) {
			declared[string(name[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return declared
}

func lines(t *testing.T, path string) (all []string) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	scanner := bufio.NewScanner(file)
	for scanner.Scan() {
		all = append(all, scanner.Text())
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
