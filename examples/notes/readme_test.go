package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// fenced matches a fenced block: its language, and its content.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

func TestQuickstartLeadsToAServer(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the quickstart's commands are for a shell, and there is no bash here")
	}
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, block := range fenced.FindAllStringSubmatch(string(page), -1) {
		switch language, content := block[1], block[2]; language {
		case "sh":
			follow(t, dir, content)
		case "json":
			wantServer(t, dir, content)
		default:
			t.Fatalf("the page has a block of %s, which this test cannot follow", language)
		}
	}
}

// follow runs the commands of a block in dir.
func follow(t *testing.T, dir, commands string) {
	t.Helper()
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "CHANGESETGEN="+clone)
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, commands, output)
	}
}

// wantServer starts the server as the configuration of a client says, and does what the page says to ask for.
func wantServer(t *testing.T, dir, configuration string) {
	t.Helper()
	var shown struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(configuration, "/path/to/directory", dir)), &shown); err != nil {
		t.Fatal(err)
	}
	entry := shown.Servers["notes"]
	command := exec.Command(entry.Command, entry.Args...)
	command.Env = os.Environ()
	for name, value := range entry.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	server := start(t, command, t.Output())
	if read := call(t, server, "read_note", arguments{"name": "shopping"}, ""); !strings.Contains(read.Text, "- bread") {
		t.Errorf("the note is not read: %s", read.Text)
	}
	preview := call(t, server, "preview_write_note", arguments{"name": "shopping", "text": "- oat milk\n- bread\n"}, "preview")
	if !strings.Contains(preview.Text, " -- milk\n") || !strings.Contains(preview.Text, " +- oat milk\n") {
		t.Errorf("the preview does not show the line that changes:\n%s", preview.Text)
	}
	call(t, server, "apply_write_note", approval(preview), string(ledger.Applied))
	wantFiles(t, filepath.Join(dir, "notes"), map[string]string{"shopping.md": "- oat milk\n- bread\n"})
}

func TestServerRefusesACommandLineThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	place := newPlace(t)
	for _, args := range [][]string{
		nil, {"--notes", place.notes}, {"--ledger", place.ledger}, {"--notes", place.notes, "--ledger", place.ledger, "more"}, {"--nots", place.notes},
	} {
		var said strings.Builder
		if code := run(args, &said); code != exitUsage || said.Len() == 0 {
			t.Errorf("%q: exit code %d: %s", args, code, &said)
		}
	}
	var help strings.Builder
	if code := run([]string{"--help"}, &help); code != exitDone || !strings.Contains(help.String(), "-notes") {
		t.Errorf("--help: exit code %d: %s", code, &help)
	}
}
