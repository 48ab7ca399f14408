package sqlite_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// Where the header of a SQLite file holds what these tests change, and the length of a page.
const (
	versionOffset     = 60
	applicationOffset = 68
	schemaPageOffset  = 100
	pageSize          = 4096
)

func TestOpenRefusesWhatIsNoLedgerAndLeavesItAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, path string) // to a ledger that was closed
		want   error
	}{
		{"an empty file", truncate(0), ledger.ErrCorrupt},
		{"a file cut inside its header", truncate(50), ledger.ErrCorrupt},
		{"a file cut after its first page", truncate(pageSize), ledger.ErrCorrupt},
		{"a file cut inside a page", truncate(3*pageSize + 17), ledger.ErrCorrupt},
		{"a file of text", overwrite(0, bytes.Repeat([]byte("not a database\n"), pageSize)), ledger.ErrCorrupt},
		{"a flipped byte in the first line", overwrite(3, []byte{'?'}), ledger.ErrCorrupt},
		{"a flipped byte where the schema begins", overwrite(schemaPageOffset, []byte{0xff}), ledger.ErrCorrupt},
		{"a schema of zeros", overwrite(schemaPageOffset, make([]byte, pageSize-schemaPageOffset)), ledger.ErrCorrupt},
		{"a missing table", execute("DROP TABLE events"), ledger.ErrCorrupt},
		{"no schema number", overwriteNumber(versionOffset, 0), ledger.ErrCorrupt},
		{"an earlier schema", overwriteNumber(versionOffset, 1), ledger.ErrUnsupported},
		{"another schema number", overwriteNumber(versionOffset, 3), ledger.ErrCorrupt},
		{"the largest schema number", overwriteNumber(versionOffset, 1<<31-1), ledger.ErrCorrupt},
		{"a newer schema", evolveAlone, ledger.ErrUnsupported},
		{"a newer schema without an account", execute("PRAGMA user_version = 3; DROP TABLE ledger"), ledger.ErrUnsupported},
		{"a database of another program", overwriteNumber(applicationOffset, 7), ledger.ErrUnsupported},
		{"a database of no program", overwriteNumber(applicationOffset, 0), ledger.ErrUnsupported},
		{"a missing file with its log", loseTheFile("-wal"), ledger.ErrCorrupt},
		{"a missing file with its journal", loseTheFile("-journal"), ledger.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			create(t, path)
			c.damage(t, path)
			expectRefusal(t, path, c.want)
		})
	}
}

func TestOpenRefusesDamageBesideALogAndLeavesBothAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		damage func(t *testing.T, path string) // to a ledger whose process was killed
		want   error
	}{
		{"an empty file", truncate(0), ledger.ErrCorrupt},
		{"a missing file", func(t *testing.T, path string) { must(t, os.Remove(path)) }, ledger.ErrCorrupt},
		{"a newer schema", leaveAStepInTheLog, ledger.ErrUnsupported},
		{"a database of another program", leaveInTheLog("PRAGMA application_id = 7"), ledger.ErrUnsupported},
		{"a missing table", leaveInTheLog("DROP TABLE events"), ledger.ErrCorrupt},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			crash(t, path)
			c.damage(t, path)
			expectRefusal(t, path, c.want)
		})
	}
}

func TestADamagedPageIsNeverReadAsAnEmptyLedger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	size := len(read(t, path))
	overwrite(pageSize, bytes.Repeat([]byte{0xff}, size-pageSize))(t, path)
	s, err := sqlite.Open(t.Context(), path)
	if err != nil {
		expectError(t, "open", err, ledger.ErrCorrupt)
		return
	}
	defer s.Close()
	_, err = s.List(t.Context(), ledger.Query{})
	expectError(t, "list", err, ledger.ErrCorrupt)
	_, _, err = s.Get(t.Context(), record(1).ID)
	expectError(t, "get", err, ledger.ErrCorrupt)
	expectError(t, "insert", s.Insert(t.Context(), record(2), ledger.Event{}), ledger.ErrCorrupt)
}

func TestOpenRemovesTheRemainsOfAnInterruptedStart(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	must(t, os.MkdirAll(filepath.Dir(path), 0o700))
	for _, ending := range []string{".new", ".new-wal", ".new-shm", ".new-journal"} {
		must(t, os.WriteFile(path+ending, []byte("half a ledger"), 0o600))
	}
	create(t, path)
	if diff := cmp.Diff([]string{"ledger.db", "ledger.db.lock", "ledger.db.mark"}, list(t, filepath.Dir(path))); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
}

// expectRefusal opens a ledger that must be refused, and makes sure that its files are byte for byte as before.
func expectRefusal(t *testing.T, path string, want error) {
	t.Helper()
	before := contents(t, path)
	s, err := sqlite.Open(t.Context(), path)
	if err == nil {
		_ = s.Close()
	}
	expectError(t, "open", err, want)
	if diff := cmp.Diff(before, contents(t, path)); diff != "" {
		t.Errorf("the files changed (-before +after):\n%s", diff)
	}
}

// contents identifies what is in the files of a ledger that hold changes.
func contents(t *testing.T, path string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, name := range list(t, filepath.Dir(path)) {
		switch name {
		case "ledger.db", "ledger.db-wal", "ledger.db-journal", "ledger.db.new":
			all[name] = fmt.Sprintf("%x", sha256.Sum256(read(t, filepath.Join(filepath.Dir(path), name))))
		}
	}
	return all
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return content
}

func truncate(size int64) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.Truncate(path, size)) }
}

func overwrite(offset int, with []byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		content := read(t, path)
		content = append(content[:offset:offset], append(with, content[min(offset+len(with), len(content)):]...)...)
		must(t, os.WriteFile(path, content, 0o600))
	}
}

func overwriteNumber(offset int, n uint32) func(*testing.T, string) {
	return overwrite(offset, binary.BigEndian.AppendUint32(nil, n))
}

func loseTheFile(kept string) func(*testing.T, string) {
	return func(t *testing.T, path string) { must(t, os.Rename(path, path+kept)) }
}

// execute changes a ledger as somebody with a shell might, who waits for others.
func execute(query string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		db, err := sql.Open("sqlite", path+"?_busy_timeout=10000")
		must(t, err)
		_, err = db.ExecContext(t.Context(), query)
		must(t, err)
		must(t, db.Close())
	}
}

// leaveInTheLog changes a ledger as a program does that is killed before it copies its log into the file.
func leaveInTheLog(query string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		c := spawn(t, "shell", path, query)
		c.line(t)
		c.kill(t)
	}
}

// runAndWait runs a statement and waits to be killed.
func runAndWait(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, os.Args[1]); err != nil {
		return err
	}
	fmt.Println("done")
	return waitToBeKilled()
}

// schemaOf is what a ledger says of its schema, in the words it was made with, and its number.
func schemaOf(t *testing.T, path string) []string {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	rows, err := db.QueryContext(t.Context(), "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_schema UNION ALL SELECT user_version FROM pragma_user_version ORDER BY 1")
	must(t, err)
	var found []string
	for rows.Next() {
		var line string
		must(t, rows.Scan(&line))
		found = append(found, line)
	}
	must(t, rows.Err())
	must(t, db.Close())
	return found
}

// TestOpenMissesRowsOfALargeLedger removes rows from one that is too large to be read as a whole.
func TestOpenMissesRowsOfALargeLedger(t *testing.T) {
	t.Parallel()
	const changes, payload = 20, 1 << 20
	large := newPath(t)
	s := open(t, large)
	for n := range changes {
		r := record(n)
		r.Payload = sqlite.Noise(payload)
		must(t, s.Insert(t.Context(), r, ledger.Event{}))
	}
	must(t, s.Close())
	for name, sql := range map[string]string{
		"an event":               "DELETE FROM events WHERE change = 5",
		"a change":               "DELETE FROM changes WHERE n = 5",
		"a change with its past": "DELETE FROM changes WHERE n = 5; DELETE FROM events WHERE change = 5",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			must(t, os.MkdirAll(filepath.Dir(path), 0o700))
			must(t, os.WriteFile(path, read(t, large), 0o600))
			must(t, open(t, path).Close())
			execute(sql)(t, path)
			expectRefusal(t, path, ledger.ErrCorrupt)
		})
	}
}
