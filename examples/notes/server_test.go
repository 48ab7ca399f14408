package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/examples/internal/rig"
	"github.com/changesetgen/changesetgen/runtime"
)

func TestMain(m *testing.M) { rig.Main(m, run) }

// place is where a server keeps its files, and what is beside them.
type place struct{ notes, ledger, outside string }

func newPlace(t *testing.T) place {
	t.Helper()
	dir := t.TempDir()
	p := place{notes: filepath.Join(dir, "data"), ledger: filepath.Join(dir, "ledger", "notes.db"), outside: filepath.Join(dir, "data_secret")}
	for _, folder := range []string{p.notes, p.outside} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// serve runs the server until the test ends.
func (p place) serve(t *testing.T) *client.Server {
	t.Helper()
	return rig.Start(t, p.command(), t.Output())
}

// command starts the server on the files of the place, with writes on.
func (p place) command() *exec.Cmd {
	command := rig.Command("--notes", p.notes, "--ledger", p.ledger)
	command.Env = append(command.Env, runtime.DefaultWriteModeEnv+"="+string(runtime.Guarded))
	return command
}

// put writes a file by hand.
func put(t *testing.T, folder, file, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o640); err != nil {
		t.Fatal(err)
	}
}

// files are those of a folder that are no work files of the server, with what is in them; of what is no plain file, its kind.
func files(t *testing.T, folder string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, entry := range entries {
		if entry.Name() == lockFile {
			continue
		}
		if !entry.Type().IsRegular() {
			all[entry.Name()] = entry.Type().String()
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		all[entry.Name()] = string(text)
	}
	return all
}
