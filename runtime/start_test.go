package runtime_test

import (
	"crypto/sha256"
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A server does not start on a ledger that it cannot trust. It ends with an error that names the file and says what to
// do, and leaves the files as they are; above all it never makes a new ledger, which would forget what was applied.
func TestServerRefusesToStartOnABadLedger(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		damage func(t *testing.T, path string)
		says   string
	}{
		"bytes flipped in the second page": {flipBytes(4096+2000, 64), "is corrupt"},
		"bytes flipped in the header":      {flipBytes(20, 4), "is corrupt"},
		"bytes flipped in the last page":   {flipBytes(-1000, 8), "is corrupt"},
		"truncated to half":                {func(t *testing.T, path string) { resize(t, path, size(t, path)/2) }, "is corrupt"},
		"truncated to a byte":              {func(t *testing.T, path string) { resize(t, path, 1) }, "has 1 bytes"},
		"empty":                            {func(t *testing.T, path string) { resize(t, path, 0) }, "has 0 bytes"},
		"removed":                          {func(t *testing.T, path string) { check(t, os.Remove(path)) }, "the file is missing"},
		"a newer schema":                   {replaceSchema, "update this program"},
		"another program's database":       {replaceByOtherDatabase, "is a SQLite database, but no ledger"},
		"a text":                           {replaceByText, "is corrupt"},
		"a directory":                      {replaceByDirectory, "is not a file"},
		"a link":                           {replaceByLink, "is a symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			directory := t.TempDir()
			path := filepath.Join(directory, "ledger", "changes.db")
			makeLedger(t, directory)
			test.damage(t, path)
			before := contentsOf(t, filepath.Dir(path))
			output, err := runServer(directory)
			if _, ended := err.(*exec.ExitError); !ended {
				t.Errorf("the server ended with %v, want an exit code", err)
			}
			if !strings.Contains(output, path) || !strings.Contains(output, test.says) {
				t.Errorf("the server does not say %q of %s:\n%s", test.says, path, output)
			}
			if diff := cmp.Diff(before, contentsOf(t, filepath.Dir(path))); diff != "" {
				t.Errorf("the files changed (-before +after):\n%s", diff)
			}
		})
	}
}

// makeLedger has a server apply a few changes and end.
func makeLedger(t *testing.T, directory string) {
	t.Helper()
	w := newWorld(t, func(w *world) {
		w.directory = directory
		w.store = openLedger(t, directory, w.clock)
		w.options.Store = w.store
	})
	for _, value := range []string{"dark", "blue", "light"} {
		w.applied(t, "theme", value)
	}
	w.closes(t)
	check(t, w.store.Close())
}

// runServer starts a server whose client has nothing to say, and waits until it ends.
func runServer(directory string) (output string, err error) {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), serveIn+"="+directory)
	content, err := command.CombinedOutput()
	return string(content), err
}

func TestServerStartsOnAGoodLedger(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	makeLedger(t, directory)
	if output, err := runServer(directory); err != nil {
		t.Errorf("%v:\n%s", err, output)
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func size(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	check(t, err)
	return info.Size()
}

func resize(t *testing.T, path string, to int64) {
	t.Helper()
	check(t, os.Truncate(path, to))
}

// flipBytes flips count bytes from an offset, which counts from the end if it is negative.
func flipBytes(offset, count int) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		content, err := os.ReadFile(path)
		check(t, err)
		at := (offset + len(content)) % len(content)
		for i := range count {
			content[at+i] ^= 0xff
		}
		check(t, os.WriteFile(path, content, 0o600))
	}
}

func replaceByOtherDatabase(t *testing.T, path string) {
	check(t, os.Remove(path))
	db, err := sql.Open("sqlite", "file:"+path)
	check(t, err)
	_, err = db.Exec(`CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('of somebody else')`)
	check(t, err)
	check(t, db.Close())
	check(t, os.Chmod(path, 0o600))
}

// replaceSchema makes of the ledger one of a later version, which keeps nothing in the way that is known here.
func replaceSchema(t *testing.T, path string) {
	db, err := sql.Open("sqlite", "file:"+path)
	check(t, err)
	_, err = db.Exec(`DROP TABLE ledger; PRAGMA user_version = 9`)
	check(t, err)
	check(t, db.Close())
}

func replaceByText(t *testing.T, path string) {
	check(t, os.WriteFile(path, []byte(strings.Repeat("not a database\n", 1000)), 0o600))
}

func replaceByDirectory(t *testing.T, path string) {
	check(t, os.Remove(path))
	check(t, os.Mkdir(path, 0o700))
}

func replaceByLink(t *testing.T, path string) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege here")
	}
	check(t, os.Rename(path, path+".real"))
	check(t, os.Symlink(path+".real", path))
}

// contentsOf identifies what is in the files of a directory. The index of the write-ahead log and the lock say nothing
// that lasts.
func contentsOf(t *testing.T, directory string) map[string][32]byte {
	t.Helper()
	entries, err := os.ReadDir(directory)
	check(t, err)
	all := map[string][32]byte{}
	for _, entry := range entries {
		path := filepath.Join(directory, entry.Name())
		if entry.IsDir() || strings.HasSuffix(path, "-shm") || strings.HasSuffix(path, ".lock") {
			continue
		}
		content, err := os.ReadFile(path)
		check(t, err)
		all[entry.Name()] = sha256.Sum256(content)
	}
	return all
}
