package sqlite_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// smallDisk is the size of a disk that a ledger fills soon, and ballast what is removed from it to make room.
const (
	smallDisk = 1 << 20
	ballast   = 256 << 10
	step      = 4 << 10 // a page of memory, which such a disk is made of
)

// TestALedgerOnAFullDisk fills a real disk to another degree each time, from one on which not even the lock can be made
// to one with room for everything.
func TestALedgerOnAFullDisk(t *testing.T) {
	t.Parallel()
	outcomes := map[string]int{}
	for free := 0; free <= ballast; free += 2 * step {
		dir := mount(t, fmt.Sprintf("size=%d", smallDisk))
		fill(t, filepath.Join(dir, "full"), smallDisk-free)
		outcomes[useFullDisk(t, filepath.Join(dir, "ledger", "ledger.db"), func() { must(t, os.Remove(filepath.Join(dir, "full"))) })]++
	}
	if outcomes["open"] == 0 || outcomes["insert"]+outcomes["claim"] == 0 || outcomes[""] == 0 {
		t.Errorf("what failed first: %v, want something of everything", outcomes)
	}
}

// useFullDisk tells what failed first. Everything that failed works once there is room.
func useFullDisk(t *testing.T, path string, makeRoom func()) (failed string) {
	t.Helper()
	again := func(what string, do func() error) {
		t.Helper()
		err := do()
		if err == nil {
			return
		}
		if failed != "" {
			t.Fatalf("%s with room on the disk: %v", what, err)
		}
		failed = what
		expectDiskError(t, what, path, err)
		if said := err.Error(); !strings.Contains(said, "make room") && !strings.Contains(said, "may be full") {
			t.Errorf("%s: %v does not say that the disk is full", what, err)
		}
		makeRoom()
		if err := do(); err != nil {
			t.Fatalf("%s with room on the disk: %v", what, err)
		}
	}
	var s *sqlite.Store
	again("open", func() (err error) { s, err = sqlite.Open(t.Context(), path, patient); return err })
	defer func() { must(t, s.Close()) }()
	r := record(1)
	again("insert", func() error { return s.Insert(t.Context(), r, ledger.Event{To: ledger.Pending}) })
	r.Revision, r.Status = 1, ledger.Applying
	again("claim", func() error { return s.Swap(t.Context(), r, time.Time{}, ledger.Event{To: ledger.Applying}) })
	got, _, err := s.Get(t.Context(), r.ID)
	if err != nil || got.Status != ledger.Applying || got.Revision != 2 {
		t.Errorf("%s failed first: the claim is %s at %d, %v", failed, got.Status, got.Revision, err)
	}
	return failed
}

// TestOpenRefusesWhatItCannotWrite opens a ledger on a disk that is read-only, and makes one there.
func TestOpenRefusesWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(t *testing.T, path string){
		"a ledger that is there":   create,
		"a ledger without a lock":  func(t *testing.T, path string) { create(t, path); must(t, os.Remove(path+".lock")) },
		"a ledger that is not":     func(t *testing.T, path string) { must(t, os.Mkdir(filepath.Dir(path), 0o700)) },
		"a directory that is not":  func(*testing.T, string) {},
		"a log of a killed server": crash,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mount(t, "")
			path := filepath.Join(dir, "data", "ledger.db")
			prepare(t, path)
			makeReadOnly(t, dir)
			before := files(t, dir)
			s, err := sqlite.Open(t.Context(), path)
			if err == nil {
				_ = s.Close()
			}
			expectError(t, "open", err, ledger.ErrUnavailable)
			if err != nil && (!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "writable for this user")) {
				t.Errorf("%v does not say what to do", err)
			}
			if diff := cmp.Diff(before, files(t, dir)); diff != "" {
				t.Errorf("the files changed (-before +after):\n%s", diff)
			}
		})
	}
}

// TestALookNeedsNoDiskThatCanBeWritten looks at a ledger, and at a copy of one, on a disk that is read-only or full.
func TestALookNeedsNoDiskThatCanBeWritten(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"read-only": makeReadOnly,
		"full":      func(t *testing.T, dir string) { fill(t, filepath.Join(dir, "full"), smallDisk) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := mount(t, fmt.Sprintf("size=%d", smallDisk))
			path, copied := filepath.Join(dir, "ledger.db"), filepath.Join(dir, "copy.db")
			create(t, path)
			s := open(t, path)
			must(t, s.Backup(t.Context(), copied))
			must(t, s.Close())
			spoil(t, dir)
			for _, path := range []string{path, copied} {
				before := filesOfOurs(t, dir)
				s := open(t, path, sqlite.LookOnly())
				if all := everythingIn(t, s); len(all) != 1 {
					t.Errorf("%s: %d changes", path, len(all))
				}
				expectSound(t, s)
				if _, err := s.Stats(t.Context()); err != nil {
					t.Error(err)
				}
				backup(t, s)
				must(t, s.Close())
				if diff := cmp.Diff(before, filesOfOurs(t, dir)); diff != "" {
					t.Errorf("the files changed (-before +after):\n%s", diff)
				}
			}
		})
	}
}

// TestALookBesideALogOnAReadOnlyDiskSaysWhatToDo leaves a log without its index, which only who may write can read.
func TestALookBesideALogOnAReadOnlyDiskSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := mount(t, "")
	path := filepath.Join(dir, "data", "ledger.db")
	crash(t, path)
	must(t, os.Remove(path+"-shm"))
	makeReadOnly(t, dir)
	_, err := sqlite.Open(t.Context(), path, sqlite.LookOnly())
	expectError(t, "look", err, ledger.ErrUnavailable)
	if err != nil && !strings.Contains(err.Error(), "writable for this user") {
		t.Errorf("%v does not say what to do", err)
	}
}

// mount makes a disk in memory. It skips the test where this is not allowed.
func mount(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	err := syscall.Mount("tmpfs", dir, "tmpfs", 0, options)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EACCES) {
		t.Skipf("SKIPPED: a disk in memory needs the right to mount one: %v", err)
	}
	must(t, err)
	t.Cleanup(func() { must(t, syscall.Unmount(dir, syscall.MNT_DETACH)) })
	must(t, os.Chmod(dir, 0o700))
	return dir
}

// makeReadOnly has nobody write to a disk any more. A process that another test is just starting has the files of this one
// open until it runs its own program.
func makeReadOnly(t *testing.T, dir string) {
	t.Helper()
	for until := time.Now().Add(patience); ; {
		err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
		if errors.Is(err, syscall.EBUSY) && time.Now().Before(until) {
			continue
		}
		must(t, err)
		return
	}
}

// fill writes a file of that size, or one that leaves no room.
func fill(t *testing.T, path string, size int) {
	t.Helper()
	if err := os.WriteFile(path, make([]byte, size), 0o600); err != nil && !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
}

// filesOfOurs is everything in a directory but the files of the engine.
func filesOfOurs(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := files(t, dir)
	maps.DeleteFunc(all, func(name, _ string) bool { return strings.HasSuffix(name, "-wal") || strings.HasSuffix(name, "-shm") })
	return all
}

// files is everything in a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			all[path] = string(read(t, path))
		}
		return err
	}))
	return all
}
