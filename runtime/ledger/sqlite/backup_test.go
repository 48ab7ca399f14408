package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

func TestABackupIsALedgerOfItsOwn(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	writeChanges(t, path)
	want := everything(t, path)
	s := open(t, path)
	copied := backup(t, s)
	must(t, s.Insert(t.Context(), record(changesWritten), ledger.Event{})) // after the copy
	if diff := cmp.Diff([]string{"copy.db"}, list(t, filepath.Dir(copied))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if runtime.GOOS != "windows" {
		expectMode(t, copied, 0o600)
	}
	if diff := cmp.Diff(want, everything(t, copied)); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
	again := open(t, copied)
	must(t, again.Insert(t.Context(), record(changesWritten+1), ledger.Event{}))
	expectSound(t, again)
}

// TestABackupIsOfOneMomentWhileOthersWrite copies a ledger that another process writes to without a pause: it makes a
// change, claims it, and makes the next one. A copy has all writes up to one that was made while it was copied, and none
// after that. What fills the ledger beside makes a copy last for many writes.
func TestABackupIsOfOneMomentWhileOthersWrite(t *testing.T) {
	t.Parallel()
	const full, copies = 4 << 20, 3
	path := newPath(t)
	s := open(t, path)
	filling := record(0)
	filling.ID, filling.Payload = "chg_", sqlite.Noise(full) // before all others
	must(t, s.Insert(t.Context(), filling, ledger.Event{}))
	writer := spawn(t, "writer", path)
	writer.line(t)
	for overtaken := 0; overtaken < copies; {
		before := writesOf(t, s)
		var target string
		var after int64
		writer.whileItPrints(t, func() { target, after = backup(t, s), writesOf(t, s) })
		copied := open(t, target)
		got := writesOf(t, copied)
		if got < before || got > after {
			t.Errorf("a copy of %d writes was made between the writes %d and %d", got, before, after)
		}
		if diff := cmp.Diff(firstWrites(got-1), revisions(t, copied)); diff != "" {
			t.Fatalf("revisions in a copy of %d writes (-want +got):\n%s", got, diff)
		}
		if got < after {
			overtaken++
		}
	}
}

func writesOf(t *testing.T, s *sqlite.Store) int64 {
	t.Helper()
	stats, err := s.Stats(t.Context())
	must(t, err)
	return stats.Writes
}

// firstWrites are the revisions of the changes after so many writes of the writer, by when they were made.
func firstWrites(writes int64) map[int]int64 {
	made := map[int]int64{}
	for n := range writes {
		made[int(n/2)] = n%2 + 1
	}
	return made
}

// revisions are those of the changes of the writer, by when they were made, which each has an event for.
func revisions(t *testing.T, s *sqlite.Store) map[int]int64 {
	t.Helper()
	found := map[int]int64{}
	for id, change := range everythingIn(t, s) {
		if int64(len(change.Events)) != change.Record.Revision {
			t.Errorf("%s at revision %d has %d events", id, change.Record.Revision, len(change.Events))
		}
		var n int
		if _, err := fmt.Sscanf(id, "chg_%20x", &n); err == nil {
			found[n] = change.Record.Revision
		}
	}
	return found
}

func TestABackupReplacesNothing(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	for _, ending := range []string{"", "-wal", "-journal", ".mark", ".lock", ".new"} {
		target := filepath.Join(t.TempDir(), "copy.db")
		must(t, os.WriteFile(target+ending, []byte("precious"), 0o600))
		expectError(t, "back up to "+ending, s.Backup(t.Context(), target), fs.ErrExist)
		if diff := cmp.Diff([]string{"copy.db" + ending}, list(t, filepath.Dir(target))); diff != "" || string(read(t, target+ending)) != "precious" {
			t.Errorf("%s was changed:\n%s", ending, diff)
		}
	}
}

// filesBeside are endings of the files that lie beside a ledger.
var filesBeside = []string{
	"-wal", "-shm", "-journal", ".lock", ".mark", ".key", ".new", ".key.new", "-WAL", ".Mark",
	".hold_0123456789abcdef0123456789abcdef", ".unfinished_0123456789abcdef0123456789abcdef",
}

// TestACopyIsNoFileOfALedger copies to where this ledger, or another one, would take the copy for a file of its own.
func TestACopyIsNoFileOfALedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	s := open(t, path)
	for _, ending := range filesBeside {
		for _, of := range []string{path, filepath.Join(t.TempDir(), "other.db")} {
			before := list(t, filepath.Dir(of))
			expectError(t, "back up to "+ending, s.Backup(t.Context(), of+ending), ledger.ErrUnsupported)
			if diff := cmp.Diff(before, list(t, filepath.Dir(of))); diff != "" {
				t.Errorf("%s: files (-before +after):\n%s", ending, diff)
			}
		}
	}
	must(t, s.Backup(t.Context(), path+".hold_of_somebody_else"))
}

func TestABackupThatFailsLeavesNothing(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	writeChanges(t, path)
	s := open(t, path)
	expectError(t, "back up into no directory", s.Backup(t.Context(), filepath.Join(t.TempDir(), "none", "copy.db")), fs.ErrNotExist)
	expectError(t, "back up to nowhere", s.Backup(t.Context(), ""), ledger.ErrUnsupported)

	target := filepath.Join(t.TempDir(), "copy.db")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	expectError(t, "back up for nobody", s.Backup(ctx, target), context.Canceled)
	execute("UPDATE changes SET status = 'undone' WHERE n = 3")(t, path)
	expectError(t, "back up what is damaged", s.Backup(t.Context(), target), ledger.ErrCorrupt)
	if left := list(t, filepath.Dir(target)); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestABackupIsNotPutWhereOthersCanReplaceIt(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permission bits do not say this here")
	}
	s := open(t, newPath(t))
	for mode, want := range map[os.FileMode]error{0o777: ledger.ErrUnsupported, 0o770: ledger.ErrUnsupported, 0o777 | os.ModeSticky: nil, 0o755: nil} {
		dir := t.TempDir()
		must(t, os.Chmod(dir, mode))
		if err := s.Backup(t.Context(), filepath.Join(dir, "copy.db")); !errors.Is(err, want) {
			t.Errorf("back up to a directory of mode %v: %v, want %v", mode, err, want)
		}
	}
}

// TestABackupInThePlaceOfALaterLedgerIsRefused restores one as cp does. With everything moved aside, as the documentation
// says, it is a ledger again, without what came later.
func TestABackupInThePlaceOfALaterLedgerIsRefused(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	s := open(t, path)
	copied := backup(t, s)
	r, _, err := s.Get(t.Context(), record(1).ID)
	must(t, err)
	r.Status = ledger.Applying
	must(t, s.Swap(t.Context(), r, time.Time{}, ledger.Event{}))
	must(t, s.Close())
	must(t, os.WriteFile(path, read(t, copied), 0o600))
	expectRefusal(t, path, ledger.ErrCorrupt)
	must(t, os.Remove(path+".mark"))
	if got := everything(t, path)[record(1).ID].Record.Status; got != ledger.Pending {
		t.Errorf("the restored change is %s", got)
	}
}

func TestABackupHasNoKey(t *testing.T) {
	t.Parallel()
	s := open(t, newPath(t))
	sensitiveKey(t, s)
	r := record(1)
	r.Sensitive = []byte(`{}`)
	must(t, s.Insert(t.Context(), r, ledger.Event{}))
	_, err := open(t, backup(t, s)).SensitiveKey(t.Context())
	expectError(t, "the key of a copy", err, ledger.ErrUnsupported)
}

// backup copies a ledger and gives the path of the copy.
func backup(t *testing.T, s *sqlite.Store) string {
	t.Helper()
	target := filepath.Join(t.TempDir(), "copy.db")
	if err := s.Backup(t.Context(), target); err != nil {
		t.Fatal(err)
	}
	return target
}

func TestOpenOfALedgerThatMustExistMakesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, path := range []string{filepath.Join(dir, "ledger.db"), filepath.Join(dir, "none", "ledger.db"), filepath.Join(dir, "no", "ne", "ledger.db")} {
		_, err := sqlite.Open(t.Context(), path, sqlite.MustExist())
		expectError(t, "open", err, fs.ErrNotExist)
	}
	if left := list(t, dir); len(left) > 0 {
		t.Errorf("%v was made", left)
	}
	path := newPath(t)
	create(t, path)
	must(t, open(t, path, sqlite.MustExist()).Close())
	must(t, os.Remove(path))
	if _, err := sqlite.Open(t.Context(), path, sqlite.MustExist()); !errors.Is(err, ledger.ErrCorrupt) {
		t.Errorf("open of a ledger that was lost: %v", err)
	}
}

// TestWhatCannotBeALedgerGetsNoFilesAndNoWarning opens what people may name by mistake.
func TestWhatCannotBeALedgerGetsNoFilesAndNoWarning(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path string)
		want    error
		files   []string
	}{
		"an empty file":              {truncate(0), ledger.ErrCorrupt, []string{"ledger.db"}},
		"a short file":               {truncate(100), ledger.ErrCorrupt, []string{"ledger.db"}},
		"another program's database": {overwriteNumber(applicationOffset, 7), ledger.ErrUnsupported, []string{"ledger.db", "ledger.db.lock"}},
		"an earlier schema":          {overwriteNumber(versionOffset, 1), ledger.ErrUnsupported, []string{"ledger.db", "ledger.db.lock"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			create(t, path)
			must(t, os.Remove(path+".mark"))
			must(t, os.Remove(path+".lock"))
			c.prepare(t, path)
			var said strings.Builder
			_, err := sqlite.Open(t.Context(), path, sqlite.DespiteDamage(), sqlite.WithLogger(slog.New(slog.NewTextHandler(&said, nil))))
			expectError(t, "open", err, c.want)
			if said.Len() > 0 {
				t.Errorf("it warns of %s", said.String())
			}
			if diff := cmp.Diff(c.files, list(t, filepath.Dir(path))); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}
