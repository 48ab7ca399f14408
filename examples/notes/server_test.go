package main

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/runtime"
)

// serveVariable makes the test program the server itself, so that the server is what was just compiled, with the race
// detector if the tests have it.
const serveVariable = "NOTES_TEST_SERVE"

func TestMain(m *testing.M) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(run(os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

// arguments of the tools.
type arguments map[string]string

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

// serve starts the server on the files of the place, with writes on.
func (p place) serve(t *testing.T) *client.Server {
	t.Helper()
	return start(t, p.command(), t.Output())
}

// command starts this test program as the server.
func (p place) command() *exec.Cmd {
	command := exec.Command(os.Args[0], "--notes", p.notes, "--ledger", p.ledger)
	command.Env = append(os.Environ(), serveVariable+"=1", runtime.DefaultWriteModeEnv+"="+string(runtime.Guarded))
	return command
}

// start starts a server that ends with the test.
func start(t *testing.T, command *exec.Cmd, log io.Writer) *client.Server {
	t.Helper()
	command.Stderr = log
	server, err := client.Start(t.Context(), command)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Errorf("the server did not end well: %v", err)
		}
	})
	return server
}

// call calls a tool and expects that outcome; "" expects none in particular.
func call(t *testing.T, server *client.Server, tool string, args arguments, want string) *client.Answer {
	t.Helper()
	answer, err := server.Call(t.Context(), tool, args)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer.Outcome(); want != "" && got != want {
		t.Fatalf("%s answered %q, want %q:\n%s", tool, got, want, answer.Text)
	}
	return answer
}

// approval is what apply is called with.
func approval(preview *client.Answer) arguments {
	return arguments{"change_id": preview.ChangeID, "confirmation_token": preview.ConfirmationToken}
}

// takeBack is what undo is called with.
func takeBack(preview, done *client.Answer) arguments {
	return arguments{"change_id": preview.ChangeID, "undo_token": done.UndoToken}
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
