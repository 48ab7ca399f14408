// Package rig is what the tests of the example servers share: it runs a server as a process of its own, calls its tools
// as an agent does, and follows the pages that say how.
package rig

import (
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/examples/internal/client"
	"github.com/changesetgen/changesetgen/runtime"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// serveVariable makes a test program the server itself.
const serveVariable = "EXAMPLE_TEST_SERVE"

// Main is TestMain of the package of a server that run runs. The server of a test is then what was just compiled, with
// the race detector if the tests have it.
func Main(m *testing.M, run func(args []string, stderr io.Writer) int) {
	if os.Getenv(serveVariable) != "" {
		os.Exit(run(os.Args[1:], os.Stderr))
	}
	os.Exit(m.Run())
}

// Command starts this test program as the server.
func Command(args ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], args...)
	command.Env = append(os.Environ(), serveVariable+"=1")
	return command
}

// Start starts a server that ends with the test, and well.
func Start(t *testing.T, command *exec.Cmd, log io.Writer) *client.Server {
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

// Args are the arguments of a tool.
type Args map[string]string

// Call calls a tool and expects that outcome; "" expects none in particular.
func Call(t *testing.T, server *client.Server, tool string, args Args, want string) *client.Answer {
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

// patience bounds how long a status is waited for. It is no expectation: a busy machine may stall for long.
const patience = 2 * time.Minute

// AwaitStatus asks for the status of a change until it is that one.
func AwaitStatus(t *testing.T, server *client.Server, preview *client.Answer, want ledger.Status) {
	t.Helper()
	for until := time.Now().Add(patience); ; {
		status := Call(t, server, "get_change_status", Args{"change_id": preview.ChangeID}, "")
		if status.Status == string(want) {
			return
		}
		if time.Now().After(until) {
			t.Fatalf("the change is never %s:\n%s", want, status.Text)
		}
	}
}

// Approval is what apply is called with.
func Approval(preview *client.Answer) Args {
	return Args{"change_id": preview.ChangeID, "confirmation_token": preview.ConfirmationToken}
}

// TakeBack is what undo is called with.
func TakeBack(preview, done *client.Answer) Args {
	return Args{"change_id": preview.ChangeID, "undo_token": done.UndoToken}
}

// SayYes approves a change, as an operator of the ledger at that path does.
func SayYes(t *testing.T, path string, preview *client.Answer) {
	t.Helper()
	store, err := sqlite.Open(t.Context(), path, sqlite.MustExist())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	operator, err := runtime.NewOperator(store, runtime.Decider{Name: "ana", Channel: "test"})
	if err != nil {
		t.Fatal(err)
	}
	view, err := operator.Get(t.Context(), preview.ChangeID)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := operator.Approve(t.Context(), view.Seen, ""); err != nil {
		t.Fatal(err)
	}
}
