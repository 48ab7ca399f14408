//go:build unix

package sqlite_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func init() { roles["unmasked"] = openUnmasked }

func TestOpenDoesNotRelyOnTheUmask(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	c := spawn(t, "unmasked", path)
	c.line(t)
	expectMode(t, filepath.Dir(path), 0o700)
	for _, name := range list(t, filepath.Dir(path)) {
		expectMode(t, filepath.Join(filepath.Dir(path), name), 0o600)
	}
}

// openUnmasked makes a ledger in a process whose files would be open to all by default, and waits to be killed.
func openUnmasked(ctx context.Context, path string) error {
	syscall.Umask(0)
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		return err
	}
	if _, err := s.Hold(ctx); err != nil {
		return err
	}
	if err := s.Insert(ctx, record(1), ledger.Event{}); err != nil {
		return err
	}
	fmt.Println("open")
	return waitToBeKilled()
}

func TestOpenRefusesAPipe(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "ledger.db")
	must(t, syscall.Mkfifo(path, 0o600))
	_, err := sqlite.Open(t.Context(), path) // opening a pipe would wait for ever
	expectError(t, "open", err, ledger.ErrUnsupported)
}
