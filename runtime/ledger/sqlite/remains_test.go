package sqlite_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

const deadHold = ".hold_0123456789abcdef0123456789abcdef"

// TestNoLedgerIsMadeBesideWhatOneLeft has a ledger be missing while a file that belonged to it is there. A new one would
// forget what was claimed in it.
func TestNoLedgerIsMadeBesideWhatOneLeft(t *testing.T) {
	t.Parallel()
	for ending, content := range map[string]string{
		deadHold: "", "-wal": "log", "-shm": "index", "-journal": "journal", ".mark": "",
	} {
		t.Run(ending, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path+ending, []byte(content), 0o600))
			_, err := sqlite.Open(t.Context(), path)
			if !errors.Is(err, ledger.ErrCorrupt) || !strings.Contains(err.Error(), path+ending) || !strings.Contains(err.Error(), "restore a backup") {
				t.Errorf("open: %v does not say what was left and what to do", err)
			}
			want := []string{"ledger.db" + ending, "ledger.db.lock"}
			slices.Sort(want)
			if diff := cmp.Diff(want, list(t, filepath.Dir(path))); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
			if got := read(t, path+ending); string(got) != content {
				t.Errorf("%s of %d bytes was changed", ending, len(got))
			}
			must(t, os.Remove(path+ending)) // as the error says
			create(t, path)
		})
	}
}

// TestAMissingLedgerWithAnIllegibleMarkIsNotMadeAnew has a power loss take the mark's content, and something the ledger.
func TestAMissingLedgerWithAnIllegibleMarkIsNotMadeAnew(t *testing.T) {
	t.Parallel()
	for name, lose := range illegible() {
		if name == "removed" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			create(t, path)
			lose(t, path+".mark")
			must(t, os.Remove(path))
			expectRefusal(t, path, ledger.ErrCorrupt)
		})
	}
}

func TestOpenSaysThatItMadeALedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	logger, log := recordLog()
	must(t, open(t, path, sqlite.WithLogger(logger)).Close())
	if said := log.String(); !strings.Contains(said, "level=INFO") || !strings.Contains(said, path) {
		t.Errorf("the log says %q, want that a ledger was made at %s", said, path)
	}
	log.Reset()
	open(t, path, sqlite.WithLogger(logger))
	if said := log.String(); said != "" {
		t.Errorf("the log says %q of a ledger that was there", said)
	}
}

// recordLog is a logger and what it says.
func recordLog() (*slog.Logger, *bytes.Buffer) {
	var log bytes.Buffer
	return slog.New(slog.NewTextHandler(&log, nil)), &log
}
