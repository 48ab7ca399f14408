package sqlite_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

func TestOpenRefusesPathsThatAreNoFile(t *testing.T) {
	t.Parallel()
	const password = "hunter2"
	for _, path := range []string{
		"", ":memory:", "file:ledger.db?mode=memory", "postgres://ana:" + password + "@db/ledger", "postgresql://db/ledger",
		"mysql://db/ledger", "postgres:host=db password=" + password,
	} {
		_, err := sqlite.Open(t.Context(), path)
		expectError(t, "open "+path, err, ledger.ErrUnsupported)
		if err != nil && strings.Contains(err.Error(), password) {
			t.Errorf("open %s: the error repeats the password: %v", path, err)
		}
	}
}

func TestOpenRefusesUnsafePlaces(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(t *testing.T, path string) // of a ledger that is fine but for this
		advice  string
		modes   bool // needs permission bits
	}{
		{"a file that others can read", chmod("", 0o640), "chmod 600", true},
		{"a file that others can write", chmod("", 0o602), "chmod 600", true},
		{"a lock that others can write", chmod(".lock", 0o666), "chmod 600", true},
		{"a directory that its group can write", chmodDirectory(0o770), "chmod go-w", true},
		{"a directory that all can write", chmodDirectory(0o1777), "chmod go-w", true},
		{"a file that is a link", link(""), "give the path that the link leads to", false},
		{"a lock that is a link", link(".lock"), "give the path that the link leads to", false},
		{"a log that is a link", linkToNothing("-wal"), "give the path that the link leads to", false},
		{"a directory that is a link", linkDirectory, "give the path that the link leads to", false},
		{"a file with two names", hardLink, "remove all but one", true},
		{"a directory in place of the file", directoryInstead, "give the path of one", false},
		{"a file in place of the directory", fileInstead, "give a path inside one", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && c.modes {
				t.Skip("permission bits and link counts do not say this here")
			}
			path := newPath(t)
			create(t, path)
			c.prepare(t, path)
			_, err := sqlite.Open(t.Context(), path)
			expectError(t, "open", err, ledger.ErrUnsupported)
			if err != nil && !strings.Contains(err.Error(), c.advice) {
				t.Errorf("%q does not say what to do: %q", err, c.advice)
			}
		})
	}
}

func TestOpenMakesFilesForItsUserAlone(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permission bits do not say this here")
	}
	path := filepath.Join(t.TempDir(), "outer", "inner", "ledger.db")
	s := open(t, path)
	h, err := s.Hold(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer h.Release()
	if err := s.Insert(t.Context(), record(1), ledger.Event{}); err != nil {
		t.Fatal(err)
	}
	for dir := filepath.Dir(path); filepath.Base(dir) != "001"; dir = filepath.Dir(dir) {
		expectMode(t, dir, 0o700)
	}
	names := list(t, filepath.Dir(path))
	want := []string{"ledger.db", "ledger.db-shm", "ledger.db-wal", "ledger.db." + h.Name(), "ledger.db.lock", "ledger.db.mark"}
	if !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
	for _, name := range names {
		expectMode(t, filepath.Join(filepath.Dir(path), name), 0o600)
	}
}

func TestOpenTakesAnyFileName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a b.db", "100%.db", "what?mode=memory", "c#d.db", "%41.db", "ü.db"} {
		if runtime.GOOS == "windows" && strings.Contains(name, "?") {
			continue
		}
		path := filepath.Join(t.TempDir(), name)
		create(t, path)
		if names := list(t, filepath.Dir(path)); !slices.Equal(names, []string{name, name + ".lock", name + ".mark"}) {
			t.Errorf("files %v, want %s, its lock and its mark", names, name)
		}
	}
}

// Not parallel: it sets the environment.
func TestOpenFindsTheHomeDirectory(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	create(t, "~/ledgers/notes.db")
	if names := list(t, filepath.Join(home, "ledgers")); !slices.Contains(names, "notes.db") {
		t.Errorf("files %v, want notes.db among them", names)
	}
	if _, err := os.Lstat("~"); err == nil {
		t.Error("a directory called ~ was made")
	}
}

func TestCloseLeavesNoLogBehind(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	first := open(t, path)
	for n := range 8 { // enough for several readers
		if err := first.Insert(t.Context(), record(n), ledger.Event{}); err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = first.Now(t.Context()) }()
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	want := []string{"ledger.db", "ledger.db.lock", "ledger.db.mark"}
	if names := list(t, filepath.Dir(path)); !slices.Equal(names, want) {
		t.Errorf("files %v, want %v", names, want)
	}
}

// create makes a ledger with a record in it, and closes it.
func create(t *testing.T, path string) {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Insert(t.Context(), record(1), ledger.Event{}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// list is the names in a directory, sorted.
func list(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func expectMode(t *testing.T, path string, want os.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != want {
		t.Errorf("%s has mode %04o, want %04o", path, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func chmod(ending string, mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.Chmod(path+ending, mode)) }
}

func chmodDirectory(mode os.FileMode) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.Chmod(filepath.Dir(path), mode)) }
}

func link(ending string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		must(t, os.Rename(path+ending, path+ending+".real"))
		must(t, os.Symlink(path+ending+".real", path+ending))
	}
}

func linkToNothing(ending string) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.Symlink(path+".nothing", path+ending)) }
}

func linkDirectory(t *testing.T, path string) {
	dir := filepath.Dir(path)
	must(t, os.Rename(dir, dir+".real"))
	must(t, os.Symlink(dir+".real", dir))
}

func hardLink(t *testing.T, path string) { must(t, os.Link(path, path+".other")) }

func directoryInstead(t *testing.T, path string) {
	must(t, os.Remove(path))
	must(t, os.Mkdir(path, 0o700))
}

func fileInstead(t *testing.T, path string) {
	dir := filepath.Dir(path)
	must(t, os.RemoveAll(dir))
	must(t, os.WriteFile(dir, nil, 0o600))
}
