package cli_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// foreign is another program's database, in a directory of its own.
func foreign(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE notes (text)"); err != nil {
		t.Fatal(err)
	}
	return path
}

// What a file is comes before what is wrong with its mode, or with its place: mending that would not make it a ledger.
func TestWhatIsNoLedgerIsToldAsThatAndLeftAlone(t *testing.T) {
	t.Parallel()
	s, _ := opened(t)
	for name, path := range map[string]string{"a text": noLedger(t), "another program's database": foreign(t)} {
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"list"}, {"approve", "chg_00000000000000000000", "--yes"}, {"migrate", "--yes"}, {"migrate"}} {
			r := run(s, append([]string{"--ledger", path}, command...)...)
			if r.code != 1 || !strings.Contains(r.stderr, "is no ledger") || strings.Contains(r.stderr, "chmod") || r.stdout != "" {
				t.Errorf("%s, %q: exit code %d: %s%s", name, command, r.code, r.stdout, r.stderr)
			}
		}
		if beside, err := os.ReadDir(filepath.Dir(path)); err != nil || len(beside) != 1 {
			t.Errorf("%s: beside it are %v, %v", name, beside, err)
		}
	}
}

// Only a ledger that an earlier version made is asked about: nothing else that is refused is mended by a migration.
func TestMigrateAsksOnlyAboutLedgersOfEarlierVersions(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(path string) error{
		"one that others can read": func(path string) error { return os.Chmod(path, 0o644) },
		"a symbolic link": func(path string) error {
			if err := os.Rename(path, path+".moved"); err != nil {
				return err
			}
			return os.Symlink(path+".moved", path)
		},
	} {
		s, _ := opened(t)
		if err := s.close(); err != nil {
			t.Fatal(err)
		}
		if err := spoil(s.address); err != nil {
			t.Fatal(err)
		}
		for _, command := range [][]string{{"migrate"}, {"migrate", "--yes"}} {
			if r := run(s, command...); r.code != 1 || r.stdout != "" || strings.Contains(r.stderr, "give --yes") {
				t.Errorf("%s, %q: exit code %d: %s%s", name, command, r.code, r.stdout, r.stderr)
			}
		}
	}
}
