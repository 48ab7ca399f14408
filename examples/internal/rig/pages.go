package rig

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// fenced matches a fenced block: its language, and its content.
var fenced = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// Block is a fenced block of a page.
type Block struct{ Language, Content string }

// Blocks are those of the README of the package between two headings; "" is the beginning or the end of the page.
func Blocks(t *testing.T, from, to string) (blocks []Block) {
	t.Helper()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if from != "" {
		_, text = cut(t, text, "\n"+from)
	}
	if to != "" {
		text, _ = cut(t, text, "\n"+to)
	}
	for _, match := range fenced.FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, Block{Language: match[1], Content: match[2]})
	}
	return blocks
}

func cut(t *testing.T, text, heading string) (before, after string) {
	t.Helper()
	before, after, found := strings.Cut(text, heading)
	if !found {
		t.Fatalf("there is no %s", strings.TrimSpace(heading))
	}
	return before, after
}

// Follow runs the commands of a block in dir. It skips the test where there is no bash.
func Follow(t *testing.T, dir, commands string) {
	t.Helper()
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("the commands of the page are for a shell, and there is no bash here")
	}
	shell := exec.CommandContext(t.Context(), "bash", "-euo", "pipefail", "-c", commands)
	shell.Dir = dir
	shell.Env = append(os.Environ(), "CHANGESETGEN="+Clone(t))
	if output, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, commands, output)
	}
}

// Clone is the top of the clone that the tests are in.
func Clone(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// Configured is the command that a client runs for the only server of a configuration.
func Configured(t *testing.T, configuration string) *exec.Cmd {
	t.Helper()
	var shown struct {
		Servers map[string]struct {
			Command string
			Args    []string
			Env     map[string]string
		} `json:"mcpServers"`
	}
	if err := json.Unmarshal([]byte(configuration), &shown); err != nil {
		t.Fatal(err)
	}
	if len(shown.Servers) != 1 {
		t.Fatalf("the configuration is of %d servers, want one", len(shown.Servers))
	}
	var command *exec.Cmd
	for _, server := range shown.Servers {
		command = exec.Command(server.Command, server.Args...)
		command.Env = os.Environ()
		for name, value := range server.Env {
			command.Env = append(command.Env, name+"="+value)
		}
	}
	return command
}
