package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the demo's output into README.md")

const readme = "../../README.md"

// passing is what differs from run to run, with what stands for it in a comparison.
var passing = []struct {
	pattern *regexp.Regexp
	masked  string
}{
	{regexp.MustCompile(`chg_[0-9a-f]{20}`), "chg_#"},
	{regexp.MustCompile(`(confirm|undo)_[A-Za-z0-9_-]{4}…`), "${1}_#"},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})`), "#time#"},
	{regexp.MustCompile(`\d{4}-\d{2}-\d{2}(\s+(\| +)?)\d{2}:\d{2}:\d{2}`), "#date#$1#time#"},
	{regexp.MustCompile(`(shown[_ ]digest:? +)sha256:[0-9a-f]{64}`), "${1}#"}, // over a state with a time in it
	{regexp.MustCompile(`\d+[smhd]( ago|  ) *`), "#$1"},                       // alone, or in a column whose width it takes part of
	{regexp.MustCompile(`\(in \d+[a-z]+\)`), "(in #)"},
}

func TestReadmeShowsWhatTheDemoPrints(t *testing.T) {
	t.Parallel()
	printed := runDemo(t)
	page := readPage(t, readme)
	_, details, _ := strings.Cut(page, "\n<details>\n")
	shown := block(t, details, "text")
	diff := cmp.Diff(strings.Split(mask(shown), "\n"), strings.Split(mask(printed), "\n"))
	switch {
	case diff == "":
	case *update:
		page = strings.Replace(page, fence("text")+shown, fence("text")+printed, 1)
		if err := os.WriteFile(readme, []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("README.md does not show what the demo prints; run go test ./examples/demo -update (-shown +printed):\n%s", diff)
	}
}

// README.md shows what an author starts from, which is how the spec of the example begins.
func TestReadmeShowsTheSpec(t *testing.T) {
	t.Parallel()
	start := readPage(t, "../../templates/settings.changeset.yaml")
	if diff := cmp.Diff(start, block(t, readPage(t, readme), "yaml")); diff != "" {
		t.Errorf("README.md does not show the spec that authors start from (-spec +shown):\n%s", diff)
	}
	if example := readPage(t, "../settings.changeset.yaml"); !strings.HasPrefix(example, start) {
		t.Errorf("the example does not begin as the spec that authors start from (-spec +example):\n%s", cmp.Diff(start, example))
	}
}

func TestReadmeShowsTheBodies(t *testing.T) {
	t.Parallel()
	shown := block(t, readPage(t, readme), "go")
	if !strings.Contains(readPage(t, "../settings/handlers.go"), shown) {
		t.Errorf("README.md shows bodies that are not in examples/settings/handlers.go:\n%s", shown)
	}
}

// A machine that is slow has a change wait for longer before it is listed.
func TestAgesAreMaskedHoweverLongTheDemoTakes(t *testing.T) {
	t.Parallel()
	want := mask("pending    0s   approval\ncreated  (0s ago)")
	for _, age := range []string{"12s", "1m", "2h", "3d"} {
		if got := mask(fmt.Sprintf("pending    %-3s  approval\ncreated  (%s ago)", age, age)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// The exchanges that are shown beside the whole are parts of it, call by call and command by command.
func TestReadmeShowsExchangesOfTheDemo(t *testing.T) {
	t.Parallel()
	before, rest, _ := strings.Cut(readPage(t, readme), "\n<details>\n")
	details, after, _ := strings.Cut(rest, "\n</details>\n")
	printed := mask(strings.ReplaceAll(block(t, details, "text"), "\n"+indent, "\n"))
	for _, part := range []string{before, after} {
		for call := range strings.SplitSeq(strings.TrimSpace(block(t, part, "text")), "\n\n") {
			if !strings.Contains(printed, "\n"+mask(call)+"\n") {
				t.Errorf("README.md shows what is not in the demo's output; take it from there:\n%s", call)
			}
		}
	}
}

// README.md shows the beginning of what the example says step by step, which a test follows.
func TestReadmeShowsHowAServerIsGuarded(t *testing.T) {
	t.Parallel()
	_, after, _ := strings.Cut(readPage(t, readme), "\n</details>\n")
	if shown := block(t, after, "go"); !strings.Contains(readPage(t, "../settings/README.md"), shown) {
		t.Errorf("README.md shows what is not in examples/settings/README.md:\n%s", shown)
	}
}

// runDemo builds the demo, runs it here, which is not the top of the clone, and returns what it prints.
func runDemo(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "demo.exe") // the ending that Windows asks for hurts nowhere else
	if output, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	temporary := t.TempDir()
	command := exec.CommandContext(t.Context(), program)
	command.Env = append(os.Environ(), "TMPDIR="+temporary, "TMP="+temporary)
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("demo: %v\n%s%s", err, &stdout, &stderr)
	}
	left, err := os.ReadDir(temporary)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range left {
		t.Errorf("the demo left %s behind", entry.Name())
	}
	return stdout.String()
}

// mask replaces what differs from run to run.
func mask(text string) string {
	for _, p := range passing {
		text = p.pattern.ReplaceAllString(text, p.masked)
	}
	return text
}

// fence begins a block of that language.
func fence(language string) string { return "\n```" + language + "\n" }

// block is the content of the first fenced block of that language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(page, fence(language))
	if !found {
		t.Fatalf("there is no %s block", language)
	}
	content, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatalf("the %s block does not end", language)
	}
	return content
}

func readPage(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
