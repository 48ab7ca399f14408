package sqlite_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/gofrs/flock"
	"github.com/google/go-cmp/cmp"
)

func TestALedgerOfSchema1IsRefusedUntilItIsMigrated(t *testing.T) {
	t.Parallel()
	path, fresh := released(t, "schema1"), newPath(t)
	_, err := sqlite.Open(t.Context(), path)
	expectError(t, "open", err, ledger.ErrUnsupported)
	if err == nil || !strings.Contains(err.Error(), "changesetctl migrate") {
		t.Errorf("%v does not say what to do", err)
	}
	migrate(t, path)
	if runtime.GOOS != "windows" {
		expectMode(t, path, 0o600)
	}
	must(t, writeHistories(t.Context(), fresh, func(*ledger.Record) {}))
	if diff := cmp.Diff(everything(t, fresh), everything(t, path)); diff != "" {
		t.Errorf("the changes (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(schemaOf(t, fresh), schemaOf(t, path)); diff != "" {
		t.Errorf("schemas (-new +migrated):\n%s", diff)
	}
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(100), ledger.Event{To: ledger.Pending}))
	expectSound(t, s)
	must(t, s.Close())
	if diff := cmp.Diff([]string{"ledger.db", "ledger.db.lock", "ledger.db.mark"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestMigrateLeavesACopyOfTheLedgerAsItWas migrates the copy too, which has to come to the same.
func TestMigrateLeavesACopyOfTheLedgerAsItWas(t *testing.T) {
	t.Parallel()
	path := released(t, "schema1")
	copied := migrate(t, path)
	if runtime.GOOS != "windows" {
		expectMode(t, copied, 0o600)
	}
	_, err := sqlite.Open(t.Context(), copied)
	expectError(t, "open the copy", err, ledger.ErrUnsupported)
	migrate(t, copied)
	if diff := cmp.Diff(everything(t, path), everything(t, copied)); diff != "" {
		t.Errorf("the copy (-want +got):\n%s", diff)
	}
}

func TestMigrateReadsTheLogOfAKilledServer(t *testing.T) {
	t.Parallel()
	path := released(t, "schema1")
	leaveInTheLog("UPDATE clock SET newest = newest")(t, path)
	migrate(t, path)
	if got := len(everything(t, path)); got != len(histories) {
		t.Errorf("%d changes, want %d", got, len(histories))
	}
}

// TestMigrateBeginsAgainAfterItWasKilled has the remains of a migration lie beside a ledger.
func TestMigrateBeginsAgainAfterItWasKilled(t *testing.T) {
	t.Parallel()
	path := released(t, "schema1")
	for _, ending := range []string{".new", ".new-journal"} {
		must(t, os.WriteFile(path+ending, []byte("half a ledger"), 0o600))
	}
	migrate(t, path)
	if got := len(everything(t, path)); got != len(histories) {
		t.Errorf("%d changes, want %d", got, len(histories))
	}
}

// TestMigrateReplacesACopyThatWasNotFinished has the remains of a copy lie where the next one goes: of one that was killed
// while it was written, and just before it was to get its name. One that is whole is not replaced.
func TestMigrateReplacesACopyThatWasNotFinished(t *testing.T) {
	t.Parallel()
	const unfinished = ".unfinished_0123456789abcdef0123456789abcdef"
	for name, c := range map[string]struct {
		left map[string]string // by ending
		want error
	}{
		"in the middle":                     {map[string]string{unfinished: "half", unfinished + "-journal": "half"}, nil},
		"before it had its name":            {map[string]string{"": "", unfinished: "whole"}, nil},
		"an empty file of somebody":         {map[string]string{"": ""}, fs.ErrExist},
		"a whole copy, and one that is not": {map[string]string{"": "whole", unfinished: "half"}, fs.ErrExist},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, target := released(t, "schema1"), filepath.Join(t.TempDir(), "ledger.db.backup")
			for ending, content := range c.left {
				must(t, os.WriteFile(target+ending, []byte(content), 0o600))
			}
			if err := sqlite.Migrate(t.Context(), path, target); !errors.Is(err, c.want) {
				t.Fatalf("migrate: %v, want %v", err, c.want)
			}
			if whole, there := c.left[""]; c.want != nil && there && string(read(t, target)) != whole {
				t.Error("what was there is another")
			}
			if diff := cmp.Diff([]string{"ledger.db.backup"}, list(t, filepath.Dir(target))); diff != "" {
				t.Errorf("files (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMigrateTakesTheCopyThatItHadMade has a migration be killed when the copy was whole and the ledger was not replaced.
func TestMigrateTakesTheCopyThatItHadMade(t *testing.T) {
	t.Parallel()
	path := released(t, "schema1")
	before := read(t, path)
	target := migrate(t, path)
	copied := read(t, target)
	must(t, os.WriteFile(path, before, 0o600))
	must(t, os.Remove(path+".mark"))
	must(t, os.WriteFile(path+".new", []byte("a new ledger"), 0o600))
	must(t, sqlite.Migrate(t.Context(), path, target))
	if string(read(t, target)) != string(copied) {
		t.Error("the copy is another")
	}
	if got := len(everything(t, path)); got != len(histories) {
		t.Errorf("%d changes, want %d", got, len(histories))
	}
	if diff := cmp.Diff([]string{filepath.Base(target)}, list(t, filepath.Dir(target))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// TestMigrateDoesNotTakeTheLedgerForItsCopy gives the copy the path of the ledger.
func TestMigrateDoesNotTakeTheLedgerForItsCopy(t *testing.T) {
	t.Parallel()
	path := released(t, "schema1")
	must(t, os.WriteFile(path, read(t, migrate(t, path)), 0o600)) // as the engine would copy it
	must(t, os.Remove(path+".mark"))
	err := sqlite.Migrate(t.Context(), path, path)
	if !errors.Is(err, fs.ErrExist) || !strings.Contains(err.Error(), path+": file already exists") {
		t.Errorf("%v does not say that the ledger is there", err)
	}
	expectRefusal(t, path, ledger.ErrUnsupported)
}

// TestMigrateCopiesToNoFileOfTheLedger gives the copy the place of a file that lies beside the ledger.
func TestMigrateCopiesToNoFileOfTheLedger(t *testing.T) {
	t.Parallel()
	path := released(t, "schema1")
	before := contents(t, path)
	for _, ending := range filesBeside {
		expectError(t, "migrate with a copy at "+ending, sqlite.Migrate(t.Context(), path, path+ending), ledger.ErrUnsupported)
		if diff := cmp.Diff(before, contents(t, path)); diff != "" {
			t.Errorf("%s: the files changed (-before +after):\n%s", ending, diff)
		}
	}
}

func TestMigrateDoesNothingAboutALedgerThatNeedsNone(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	target := filepath.Join(t.TempDir(), "copy.db")
	must(t, sqlite.Migrate(t.Context(), path, target))
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a copy was made: %v", err)
	}
	must(t, s.Insert(t.Context(), record(1), ledger.Event{}))
	missing := filepath.Join(t.TempDir(), "none", "ledger.db")
	expectError(t, "migrate what is not there", sqlite.Migrate(t.Context(), missing, target), fs.ErrNotExist)
}

// TestMigrateRefusesAndChangesNothing has something stand in the way each time.
func TestMigrateRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prepare func(t *testing.T, path, target string)
		want    error
	}{
		"a server that lives": {func(t *testing.T, path, _ string) { lockHold(t, path) }, ledger.ErrBusy},
		"a program that has it open": {func(t *testing.T, path, _ string) {
			spawn(t, "shell", path, "UPDATE clock SET newest = newest").line(t)
		}, ledger.ErrBusy},
		"a copy that is there": {func(t *testing.T, _, target string) { must(t, os.WriteFile(target, nil, 0o600)) }, fs.ErrExist},
		"no place for a copy":  {func(t *testing.T, _, target string) { must(t, os.Remove(filepath.Dir(target))) }, fs.ErrNotExist},
		"a damaged change": {func(t *testing.T, path, _ string) {
			execute("UPDATE changes SET status = 'undone' WHERE n = 2")(t, path)
		}, ledger.ErrCorrupt},
		"a damaged event": {func(t *testing.T, path, _ string) {
			execute("UPDATE events SET actor = 'root' WHERE change = 2")(t, path)
		}, ledger.ErrCorrupt},
		"a missing change":        {func(t *testing.T, path, _ string) { execute("DELETE FROM changes WHERE n = 2")(t, path) }, ledger.ErrCorrupt},
		"a damaged page":          {func(t *testing.T, path, _ string) { overwrite(2*pageSize, []byte("damage"))(t, path) }, ledger.ErrCorrupt},
		"a mark that says more":   {func(t *testing.T, path, _ string) { overwriteMark(t, path) }, ledger.ErrCorrupt},
		"a table of others":       {func(t *testing.T, path, _ string) { execute("CREATE TABLE notes (text)")(t, path) }, ledger.ErrUnsupported},
		"a schema that never was": {func(t *testing.T, path, _ string) { overwriteNumber(versionOffset, 0)(t, path) }, ledger.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path, target := released(t, "schema1"), filepath.Join(t.TempDir(), "copies", "copy.db")
			must(t, os.Mkdir(filepath.Dir(target), 0o700))
			c.prepare(t, path, target)
			before := contents(t, path)
			expectError(t, "migrate", sqlite.Migrate(t.Context(), path, target), c.want)
			if diff := cmp.Diff(before, contents(t, path)); diff != "" {
				t.Errorf("the files changed (-before +after):\n%s", diff)
			}
			if copied, err := os.ReadFile(target); err == nil && len(copied) > 0 {
				t.Error("a copy is left")
			}
		})
	}
}

// migrate migrates a ledger and gives the path of the copy that was made before.
func migrate(t *testing.T, path string) string {
	t.Helper()
	target := filepath.Join(t.TempDir(), "ledger.db")
	must(t, sqlite.Migrate(t.Context(), path, target))
	return target
}

// lockHold is what a server of an earlier version has for as long as it lives.
func lockHold(t *testing.T, path string) {
	t.Helper()
	lock := flock.New(path+deadHold, flock.SetFlag(os.O_CREATE|os.O_RDWR), flock.SetPermissions(0o600))
	locked, err := lock.TryLock()
	if err != nil || !locked {
		t.Fatalf("lock: %v", err)
	}
	t.Cleanup(func() { must(t, lock.Unlock()) })
}
