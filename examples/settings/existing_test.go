package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
)

// own is a server that is there before the guard is, with the call that the page shows.
const own = "testdata/own/main.go"

func TestServerThatIsThereIsGuardedAsThePageSays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serve, err := os.ReadFile(own)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, "main.go", string(serve))
	rig.Follow(t, dir, "go mod init example.com/own-server")
	for _, block := range rig.Blocks(t, "### In a server that you have", "### Over HTTP") {
		switch {
		case block.Language == "sh":
			rig.Follow(t, dir, block.Content)
		case strings.HasPrefix(block.Content, "package "):
			write(t, dir, "guarded.go", block.Content)
		case !strings.Contains(string(serve), block.Content):
			t.Errorf("%s does not call what the page shows as it does:\n%s", own, block.Content)
		}
	}
	callPackage(t, dir, "warehouse")

	command := exec.Command("./own-server")
	command.Dir = dir
	command.Env = append(os.Environ(), runtime.DefaultWriteModeEnv+"="+string(runtime.Guarded))
	server := rig.Start(t, command, t.Output())
	tools, err := server.Tools(t.Context())
	if err != nil || !slices.Contains(tools, "own") {
		t.Errorf("there is no tool of its own among %q, %v", tools, err)
	}
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(runtime.CodeRefused))
}

// callPackage gives the package of the spec another name, as the page says, and builds the server again.
func callPackage(t *testing.T, dir, name string) {
	t.Helper()
	ofPackage := regexp.MustCompile(`(package: |own-server/|\b)settings(\n|"|\.[A-Z])`)
	for _, file := range []string{"settings.changeset.yaml", "guarded.go", "bodies.go"} {
		content, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, dir, file, ofPackage.ReplaceAllString(string(content), "${1}"+name+"${2}"))
	}
	rig.Follow(t, dir, "rm -r settings\ngo tool changesetgen settings.changeset.yaml -o "+name+"\ngo build .")
}

func write(t *testing.T, dir, file, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}
