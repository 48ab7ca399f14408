package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
)

func TestQuickstartLeadsToAServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, block := range rig.Blocks(t, "## Quickstart", "## What next") {
		switch block.Language {
		case "sh":
			rig.Follow(t, dir, block.Content)
		case "go":
			wantSkeletonRefuses(t, dir)
			wantWrongStartsRefused(t, dir)
			if err := os.WriteFile(filepath.Join(dir, "bodies.go"), []byte(block.Content), 0o600); err != nil {
				t.Fatal(err)
			}
			waitLonger(t, filepath.Join(dir, "main.go"))
		default:
			t.Fatalf("the quickstart has a block of %s, which this test cannot follow", block.Language)
		}
	}

	server := startQuickstart(t, dir)
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	done := rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(ledger.Applied))
	wantResult(t, done, 2)
	undo := rig.Args{"change_id": preview.ChangeID, "undo_token": done.UndoToken}
	rig.Call(t, server, "undo_set_setting", undo, string(ledger.Undone))
	wantTemplateToKeepItsGrace(t, dir)
}

// waitLonger has writes of the template wait until the test that holds them up lets them go on.
func waitLonger(t *testing.T, program string) {
	t.Helper()
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(content), "busy_timeout(5000)")
	if !found {
		t.Fatalf("%s does not say how long a write waits: has its form changed?", program)
	}
	patient := fmt.Sprintf("%sbusy_timeout(%d)%s", before, patience.Milliseconds(), after)
	if err := os.WriteFile(program, []byte(patient), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantTemplateToKeepItsGrace expects the server that was built in dir to leave a write that takes longer in doubt.
func wantTemplateToKeepItsGrace(t *testing.T, dir string) {
	t.Helper()
	place := place{database: filepath.Join(dir, "settings.db"), ledger: filepath.Join(dir, "ledger", "settings.db")}
	for _, end := range ends() {
		preview := endInApply(t, startQuickstart(t, dir, "--grace", "1ms"), place, end)
		wantInDoubt(t, startQuickstart(t, dir), preview)
	}
}

// wantSkeletonRefuses expects the skeleton to preview, and to refuse to apply.
func wantSkeletonRefuses(t *testing.T, dir string) {
	t.Helper()
	server := startQuickstart(t, dir)
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(runtime.CodeRefused))
	if err := server.Close(); err != nil {
		t.Errorf("the server did not end well: %v", err)
	}
}

// wantWrongStartsRefused expects the server that was built in dir not to start when it was told what it does not know.
func wantWrongStartsRefused(t *testing.T, dir string) {
	t.Helper()
	for _, wrong := range []struct{ argument, writeMode, want string }{
		{"settings.db", "", `unexpected argument "settings.db"`},
		{"--grace=0s", "", "--grace is 0s"},
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
	blocks := rig.Blocks(t, "## Run it", "## Quickstart")
	if len(blocks) != 1 {
		t.Fatalf("got %d blocks, want the configuration of a client", len(blocks))
	}
	paths := strings.NewReplacer("/path/to/changesetgen", rig.Clone(t), "/path/to/files", t.TempDir())
	server := rig.Start(t, rig.Configured(t, paths.Replace(blocks[0].Content)), t.Output())
	preview := rig.Call(t, server, "preview_set_setting", rig.Args{"key": "theme", "value": "dark"}, "preview")
	rig.Call(t, server, "apply_set_setting", rig.Approval(preview), string(ledger.Applied))
}

// What the page shows beside the quickstart is code of this server and text of its specs.
func TestReadmeShowsTheCreateOfThisServer(t *testing.T) {
	t.Parallel()
	sources := map[string]string{"go": "profiles.go", "yaml": "../profiles.changeset.yaml"}
	blocks := rig.Blocks(t, "### A create", "### What an operator can do")
	if len(blocks) != len(sources) {
		t.Fatalf("got %d blocks, want %d", len(blocks), len(sources))
	}
	for _, block := range blocks {
		source, err := os.ReadFile(sources[block.Language])
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(source), block.Content) {
			t.Errorf("%s does not hold this block of the page:\n%s", sources[block.Language], block.Content)
		}
	}
}

// startQuickstart starts the server that was built in dir, with writes on.
func startQuickstart(t *testing.T, dir string, args ...string) *client.Server {
	t.Helper()
	command := exec.Command("./settings-server", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), runtime.DefaultWriteModeEnv+"="+string(runtime.Guarded))
	return rig.Start(t, command, t.Output())
}
