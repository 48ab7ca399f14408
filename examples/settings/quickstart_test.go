package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// fenced matches a fenced block: its language, and its content.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// block is a fenced block of a page.
type block struct{ language, content string }

func TestQuickstartLeadsToAServer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the quickstart's commands are for a shell, and there is no bash here")
	}
	dir := t.TempDir()
	for _, block := range section(t, "## Quickstart", "## What next") {
		switch block.language {
		case "sh":
			follow(t, dir, block.content)
		case "go":
			wantSkeletonRefuses(t, dir)
			wantWrongStartsRefused(t, dir)
			if err := os.WriteFile(filepath.Join(dir, "bodies.go"), []byte(block.content), 0o600); err != nil {
				t.Fatal(err)
			}
		default:
			t.Fatalf("the quickstart has a block of %s, which this test cannot follow", block.language)
		}
	}

	server := startQuickstart(t, dir)
	preview := call(t, server, "preview_set_setting", arguments{"key": "theme", "value": "dark"}, "preview")
	done := call(t, server, "apply_set_setting", approval(preview), string(ledger.Applied))
	wantResult(t, done, 2)
	undo := arguments{"change_id": preview.ChangeID, "undo_token": done.UndoToken}
	call(t, server, "undo_set_setting", undo, string(ledger.Undone))
}

// wantSkeletonRefuses expects the skeleton to preview, and to refuse to apply.
func wantSkeletonRefuses(t *testing.T, dir string) {
	t.Helper()
	server := startQuickstart(t, dir)
	preview := call(t, server, "preview_set_setting", arguments{"key": "theme", "value": "dark"}, "preview")
	call(t, server, "apply_set_setting", approval(preview), string(runtime.CodeRefused))
	if err := server.Close(); err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}

// wantWrongStartsRefused expects the server that was built in dir not to start when it was told what it does not know.
func wantWrongStartsRefused(t *testing.T, dir string) {
	t.Helper()
	for _, wrong := range []struct{ argument, writeMode, want string }{
		{"settings.db", "", `unexpected argument "settings.db"`},
		{"--db=settings.db", "on", `CHANGESET_WRITE_MODE is "on"`},
	} {
		command := exec.CommandContext(t.Context(), "./settings-server", wrong.argument)
		command.Dir = dir
		command.Env = append(os.Environ(), runtime.DefaultWriteModeEnv+"="+wrong.writeMode)
		output, err := command.CombinedOutput()
		if err == nil || command.ProcessState.ExitCode() != exitUsage || !strings.Contains(string(output), wrong.want) {
			t.Errorf("settings-server %s: %v, want exit code %d and %s:\n%s", wrong.argument, err, exitUsage, wrong.want, output)
		}
	}
}

func TestReadmeShowsHowAClientStartsTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var shown struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	blocks := section(t, "## Run it", "## Quickstart")
	if len(blocks) != 1 {
		t.Fatalf("got %d blocks, want the configuration of a client", len(blocks))
	}
	if err := json.Unmarshal([]byte(blocks[0].content), &shown); err != nil {
		t.Fatal(err)
	}
	entry := shown.Servers["settings"]
	paths := strings.NewReplacer("/path/to/changesetgen", clone(t), "/path/to/files", dir)
	for i, arg := range entry.Args {
		entry.Args[i] = paths.Replace(arg)
	}
	command := exec.Command(entry.Command, entry.Args...)
	command.Env = os.Environ()
	for name, value := range entry.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	server := start(t, command, t.Output())
	preview := call(t, server, "preview_set_setting", arguments{"key": "theme", "value": "dark"}, "preview")
	call(t, server, "apply_set_setting", approval(preview), string(ledger.Applied))
}

// What the page shows beside the quickstart is code of this server and text of its specs.
func TestReadmeShowsTheCreateOfThisServer(t *testing.T) {
	t.Parallel()
	sources := map[string]string{"go": "profiles.go", "yaml": "../profiles.changeset.yaml"}
	blocks := section(t, "### A create", "### What an operator can do")
	if len(blocks) != len(sources) {
		t.Fatalf("got %d blocks, want %d", len(blocks), len(sources))
	}
	for _, block := range blocks {
		source, err := os.ReadFile(sources[block.language])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), block.content) {
			t.Errorf("%s does not hold this block of the page:\n%s", sources[block.language], block.content)
		}
	}
}

// section is the blocks of the README between two headings.
func section(t *testing.T, from, to string) []block {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), "\n"+from)
	if !found {
		t.Fatalf("there is no %s", from)
	}
	text, _, found := strings.Cut(rest, "\n"+to)
	if !found {
		t.Fatalf("there is no %s", to)
	}
	var blocks []block
	for _, match := range fenced.FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, block{language: match[1], content: match[2]})
	}
	return blocks
}

// follow runs the commands of a block in dir.
func follow(t *testing.T, dir, commands string) {
	t.Helper()
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "CHANGESETGEN="+clone(t))
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, commands, output)
	}
}

// clone is the top of the clone that this test is in.
func clone(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// startQuickstart starts the server that was built in dir, with writes on.
func startQuickstart(t *testing.T, dir string) *client.Server {
	t.Helper()
	command := exec.Command("./settings-server")
	command.Dir = dir
	command.Env = append(os.Environ(), runtime.DefaultWriteModeEnv+"="+string(runtime.Guarded))
	return start(t, command, t.Output())
}
