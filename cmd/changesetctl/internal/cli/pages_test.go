package cli_test

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/cmd/changesetctl/internal/cli"
)

var (
	// shown is a command as pages show it: what follows the name of the program, in a line or between backquotes.
	shown = regexp.MustCompile("(?m)changesetctl ([^`\n]*)")
	// command is the first word that is no flag and no value of one.
	command = regexp.MustCompile(`^(?:--\w+ (?:'[^']*'|\S+) )*([a-z]+)\b`)
	flag    = regexp.MustCompile(`--[a-z]+(?:-[a-z]+)*`)
)

func TestPagesShowCommandsThatThereAre(t *testing.T) {
	t.Parallel()
	top := filepath.Join("..", "..", "..", "..")
	for _, pattern := range []string{"*.md", "docs/*.md", "examples/*/*.md"} {
		pages, err := filepath.Glob(filepath.Join(top, filepath.FromSlash(pattern)))
		if err != nil || len(pages) == 0 {
			t.Fatalf("no pages like %s: %v", pattern, err)
		}
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range shown.FindAllStringSubmatch(string(text), -1) {
				wantCommand(t, page, line[1])
			}
		}
	}
}

// wantCommand expects a command of that name, with those flags.
func wantCommand(t *testing.T, page, line string) {
	t.Helper()
	name := command.FindStringSubmatch(line)
	if name == nil {
		return // prose, or nothing but flags
	}
	var help strings.Builder
	cli.Run(t.Context(), []string{name[1], "--help"}, cli.Streams{Out: &help, Err: io.Discard, Getenv: os.Getenv})
	if !strings.Contains(help.String(), "\n  changesetctl "+name[1]+" ") { // the help of the whole is that of what is no command
		t.Errorf("%s shows changesetctl %s: there is no such command", page, line)
		return
	}
	for _, given := range flag.FindAllString(line, -1) {
		if !strings.Contains(help.String(), given+" ") {
			t.Errorf("%s shows changesetctl %s: there is no %s", page, line, given)
		}
	}
}
