package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// roleVariable and pathVariable tell a child process what to be and on which ledger.
const (
	roleVariable = "LEDGER_TEST_ROLE"
	pathVariable = "LEDGER_TEST_PATH"
)

// roles are what this test binary does when it is run as a child. Each prints lines that its parent reads.
var roles = map[string]func(ctx context.Context, path string) error{
	"claimer":     claimEverything,
	"opener":      openAndWrite,
	"writer":      writeUntilKilled,
	"holder":      holdAndWait,
	"interrupted": stopInsideATransaction,
	"shell":       runAndWait,
	"owner":       ownAndWait,
	"pruner":      pruneUntilKilled,
	"newer":       openAsNewer,
	"stranger":    openAsStranger,
	"filler":      fillUp,
	"crowd":       writeTogether,
	"reader":      readForLong,
	"joiner":      joinUntilKilled,
}

func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler)) // new ledgers and lost marks are not worth a line each
	role, ok := roles[os.Getenv(roleVariable)]
	if !ok {
		os.Exit(m.Run())
	}
	if err := role(context.Background(), os.Getenv(pathVariable)); err != nil {
		fmt.Println("failed:", err)
		os.Exit(1)
	}
}

// child is this test binary in another process.
type child struct {
	cmd   *exec.Cmd
	stdin io.Closer // held open for as long as it is to wait
	lines *bufio.Scanner
}

// spawn starts a child, which is killed when the test ends if it is still there.
func spawn(t *testing.T, role, path string, args ...string) *child {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVariable+"="+role, pathVariable+"="+path)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return &child{cmd: cmd, stdin: stdin, lines: bufio.NewScanner(stdout)}
}

// line is the next line that the child prints.
func (c *child) line(t *testing.T) string {
	t.Helper()
	if !c.lines.Scan() {
		t.Fatalf("the child ended: %v", c.cmd.Wait())
	}
	if text := c.lines.Text(); !strings.HasPrefix(text, "failed:") {
		return text
	}
	t.Fatalf("the child %s", c.lines.Text())
	return ""
}

// whileItPrints has do done while what the child prints is read, and left. A child whose lines nobody reads comes to a stop.
func (c *child) whileItPrints(t *testing.T, do func()) {
	t.Helper()
	done, ended := make(chan struct{}), make(chan bool, 1)
	go func() {
		for c.lines.Scan() {
			select {
			case <-done:
				ended <- false
				return
			default:
			}
		}
		ended <- true
	}()
	func() {
		defer close(done)
		do()
	}()
	if <-ended {
		t.Fatalf("the child ended: %v", c.cmd.Wait())
	}
}

// kill ends the child without a chance to tidy up, and gives the lines that it had printed and nobody had read.
func (c *child) kill(t *testing.T) (rest []string) {
	t.Helper()
	if err := c.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for c.lines.Scan() {
		rest = append(rest, c.lines.Text())
	}
	_ = c.cmd.Wait() // says only that it was killed
	return rest
}

func record(n int) ledger.Record {
	return ledger.Record{
		Fixed:   ledger.Fixed{ID: fmt.Sprintf("chg_%020x", n), Payload: []byte(`{}`)},
		Mutable: ledger.Mutable{Status: ledger.Pending},
	}
}

func expectHolder(t *testing.T, s *sqlite.Store, name string, want ledger.Liveness) {
	t.Helper()
	got, err := s.Holder(t.Context(), name)
	if err != nil || got != want {
		t.Errorf("holder %s is %d (%v), want %d", name, got, err, want)
	}
}

func expectError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}
