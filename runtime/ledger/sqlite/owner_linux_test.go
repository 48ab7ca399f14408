package sqlite_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// serverUser is somebody who is not the superuser, and needs no name.
const serverUser = 54321

func init() {
	roles["user"] = workAsServerUser
	roles["visitor"] = visitAsAnotherUser
}

// workAsServerUser opens a ledger as a server does that is not the superuser's, and writes to it.
func workAsServerUser(ctx context.Context, path string) error {
	if err := syscall.Setuid(serverUser); err != nil {
		return err
	}
	s, err := sqlite.Open(ctx, path, patient)
	if err != nil {
		fmt.Println(err)
		return nil
	}
	if _, err := s.SensitiveKey(ctx); err != nil {
		return err
	}
	if err := s.Close(); err != nil { // before its parent goes on with the files
		return err
	}
	fmt.Println("open")
	return nil
}

// visitAsAnotherUser says why a ledger cannot be opened by who is neither its user nor the superuser.
func visitAsAnotherUser(ctx context.Context, path string) error {
	if err := syscall.Setuid(serverUser + 1); err != nil {
		return err
	}
	_, err := sqlite.Open(ctx, path, sqlite.MustExist())
	fmt.Println(err)
	return nil
}

// ofServerUser is the path of a ledger in a directory of the user of a server. Only the superuser can make one.
func ofServerUser(t *testing.T) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only the superuser can work on a ledger of somebody else's")
	}
	root, err := os.MkdirTemp("", "ledger") // those of t are closed to others
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	must(t, os.Chmod(root, 0o755))
	directory := filepath.Join(root, "data")
	must(t, os.Mkdir(directory, 0o700))
	must(t, os.Chown(directory, serverUser, serverUser))
	return filepath.Join(directory, "ledger.db")
}

// expectServerUser fails if a file in the directory is not the server's.
func expectServerUser(t *testing.T, directory string) {
	t.Helper()
	for _, name := range list(t, directory) {
		info, err := os.Lstat(filepath.Join(directory, name))
		must(t, err)
		if stat := info.Sys().(*syscall.Stat_t); stat.Uid != serverUser || stat.Gid != serverUser {
			t.Errorf("%s belongs to %d:%d", name, stat.Uid, stat.Gid)
		}
	}
}

func TestWhatTheSuperuserMakesOfALedgerBelongsToItsServer(t *testing.T) {
	t.Parallel()
	path := ofServerUser(t)
	expectWorks := func() {
		t.Helper()
		if line := spawn(t, "user", path).line(t); line != "open" {
			t.Errorf("the server: %s", line)
		}
	}
	s := open(t, path) // a new one
	_, err := s.Hold(t.Context())
	must(t, err)
	_, err = s.SensitiveKey(t.Context())
	must(t, err)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	expectServerUser(t, filepath.Dir(path)) // the engine's files too
	must(t, s.Backup(t.Context(), path+".backup"))
	must(t, s.Close())
	expectServerUser(t, filepath.Dir(path))
	expectWorks()
	for _, ending := range []string{".mark", ".lock"} {
		must(t, os.Remove(path+ending))
	}
	must(t, open(t, path).Close())
	expectServerUser(t, filepath.Dir(path))
	expectWorks()
}

func TestAMigrationByTheSuperuserLeavesAllFilesToTheServer(t *testing.T) {
	t.Parallel()
	path := ofServerUser(t)
	must(t, os.WriteFile(path, read(t, filepath.Join("testdata", "ledgers", "schema1.db")), 0o600))
	must(t, os.Chown(path, serverUser, serverUser))
	must(t, sqlite.Migrate(t.Context(), path, path+".backup"))
	expectServerUser(t, filepath.Dir(path))
}

func TestWhoIsNotTheUserOfTheServerIsToldSo(t *testing.T) {
	t.Parallel()
	path := ofServerUser(t)
	must(t, open(t, path).Close())
	const want = "run this as the user of the server"
	if line := spawn(t, "visitor", path).line(t); !strings.Contains(line, want) || strings.Contains(line, "damaged") {
		t.Errorf("%s", line)
	}
	must(t, os.Chmod(filepath.Dir(path), 0o755)) // from here on the file can be seen
	if line := spawn(t, "visitor", path).line(t); !strings.Contains(line, "run this as that user") {
		t.Errorf("%s", line)
	}
	must(t, os.Chmod(filepath.Dir(path), 0o700))
	must(t, os.Chown(path+".mark", 0, 0)) // as earlier versions left it
	if line := spawn(t, "user", path).line(t); !strings.Contains(line, "chown 54321 "+path+".mark") {
		t.Errorf("%s", line)
	}
}
