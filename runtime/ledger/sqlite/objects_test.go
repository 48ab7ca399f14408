package sqlite_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
	"github.com/google/go-cmp/cmp"
)

// backToPending forgets claims as they are made.
const backToPending = "CREATE TRIGGER again AFTER UPDATE ON changes WHEN NEW.status = 'applying' " +
	"BEGIN UPDATE changes SET status = 'pending' WHERE n = NEW.n; END"

// strangers are changes to the schema of a ledger, and what is said of each.
var strangers = map[string]struct{ sql, want string }{
	"no index of requests":       {"DROP INDEX changes_requests", "index changes_requests is missing"},
	"no index of retries":        {"DROP INDEX changes_retries", "index changes_retries is missing"},
	"an index that is not alike": {"DROP INDEX changes_retries; CREATE INDEX changes_retries ON changes (retry_of) WHERE retry_of <> ''", "index changes_retries is another one"},
	"a trigger":                  {backToPending, "trigger again is no part of it"},
	"a trigger in capitals":      {"CREATE TRIGGER again AFTER INSERT ON CHANGES BEGIN DELETE FROM events; END", "trigger again is no part of it"},
	"a unique index":             {"CREATE UNIQUE INDEX one ON changes (server)", "index one is no part of it"},
	"a column":                   {"ALTER TABLE changes ADD COLUMN note TEXT NOT NULL DEFAULT ''", "table changes is another one"},
}

// TestOpenRefusesASchemaThatItDidNotMake has a shell change the schema of a ledger that was closed, and whose mark was
// removed, without which nobody could tell that it was written to.
func TestOpenRefusesASchemaThatItDidNotMake(t *testing.T) {
	t.Parallel()
	for name, c := range strangers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			create(t, path)
			execute(c.sql)(t, path)
			must(t, os.Remove(path+".mark"))
			_, err := sqlite.Open(t.Context(), path)
			expectError(t, "open", err, ledger.ErrCorrupt)
			if err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v does not say %q", err, c.want)
			}
		})
	}
}

// TestASchemaThatIsChangedWhileItIsInUseIsRefused changes the schema under a store, which must not write with it.
func TestASchemaThatIsChangedWhileItIsInUseIsRefused(t *testing.T) {
	t.Parallel()
	for name, c := range strangers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := newPath(t)
			s := openToDamage(t, path)
			must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
			execute(c.sql)(t, path)
			faults, err := s.Check(t.Context())
			must(t, err)
			if said := strings.Join(faults, "\n"); !strings.Contains(said, c.want) {
				t.Errorf("%q do not say %q", faults, c.want)
			}
			expectError(t, "back up", s.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")), ledger.ErrCorrupt)
			err = s.Insert(t.Context(), record(2), ledger.Event{To: ledger.Pending})
			expectError(t, "insert", err, ledger.ErrCorrupt)
		})
	}
}

// ofOthers are what authors may have beside a ledger in its file.
const ofOthers = "CREATE TABLE notes (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE, change TEXT REFERENCES changes (id)); " +
	"CREATE TABLE log (text); CREATE INDEX notes_change ON notes (change); " +
	"CREATE TRIGGER noted AFTER INSERT ON notes BEGIN INSERT INTO log VALUES (NEW.text); END; " +
	"CREATE VIEW waiting AS SELECT id FROM changes WHERE status = 'pending'; INSERT INTO notes (text) VALUES ('one')"

// TestALedgerSharesItsFile has another program keep its own tables in the file: while it is in use, while it is closed, and
// before a copy is made.
func TestALedgerSharesItsFile(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	execute(ofOthers)(t, path)
	must(t, s.Insert(t.Context(), record(2), ledger.Event{To: ledger.Pending}))
	expectSound(t, s)
	must(t, s.Close())
	execute("INSERT INTO notes (text) VALUES ('two')")(t, path)
	s = open(t, path)
	copied := filepath.Join(t.TempDir(), "copy.db")
	must(t, s.Backup(t.Context(), copied))
	must(t, s.Close())
	for _, file := range []string{path, copied} {
		s := open(t, file, sqlite.LookOnly())
		expectSound(t, s)
		must(t, s.Close())
		if got := textOf(t, file, "SELECT group_concat(text) FROM log"); got != "one,two" {
			t.Errorf("%s: the other tables hold %q", file, got)
		}
	}
}

// TestATableThatKeepsTheLedgerFromWritingIsNamed has a foreign key on the ledger that the engine cannot check. Once it is gone,
// those who have the ledger open go on.
func TestATableThatKeepsTheLedgerFromWritingIsNamed(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	execute("CREATE TABLE misled (status TEXT REFERENCES changes (status))")(t, path)
	for name, write := range map[string]func() error{
		"insert": func() error { return s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}) },
		"open":   func() error { _, err := sqlite.Open(t.Context(), path); return err },
	} {
		err := write()
		expectError(t, name, err, ledger.ErrUnsupported)
		if err != nil && !strings.Contains(err.Error(), `"misled"`) {
			t.Errorf("%v does not name the table", err)
		}
	}
	must(t, open(t, path, sqlite.LookOnly()).Close())
	execute("DROP TABLE misled")(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
}

// textOf is the one text that a query gives.
func textOf(t *testing.T, path, query string) (text string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	must(t, err)
	must(t, db.QueryRowContext(t.Context(), query).Scan(&text))
	must(t, db.Close())
	return text
}

// TestTablesMadeInAClosedLedgerAreNoDamage has another program make its tables where the mark has a digest of the file.
func TestTablesMadeInAClosedLedgerAreNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	execute(ofOthers)(t, path)
	s := open(t, path)
	expectSound(t, s)
	must(t, s.Close())
}

// TestTheRowsOfALedgerThatSharesItsFileAreChecked has a row of the ledger edited in a file with other tables.
func TestTheRowsOfALedgerThatSharesItsFileAreChecked(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	execute(ofOthers+"; UPDATE changes SET status = 'rejected'")(t, path)
	_, err := sqlite.Open(t.Context(), path)
	expectError(t, "open", err, ledger.ErrCorrupt)
}

// TestALaterVersionAddsNoTrigger has an older program look at what a newer one may add, and at what it may not.
func TestALaterVersionAddsNoTrigger(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	create(t, path)
	must(t, open(t, path, addition).Close())
	s := open(t, path)
	expectSound(t, s)
	must(t, s.Close())
	execute(backToPending)(t, path)
	must(t, os.Remove(path+".mark"))
	_, err := sqlite.Open(t.Context(), path)
	expectError(t, "open", err, ledger.ErrCorrupt)
}

// TestStatisticsOfTheEngineAreNoDamage has an operator run ANALYZE and VACUUM.
func TestStatisticsOfTheEngineAreNoDamage(t *testing.T) {
	t.Parallel()
	path := newPath(t)
	s := open(t, path)
	must(t, s.Insert(t.Context(), record(1), ledger.Event{To: ledger.Pending}))
	execute("ANALYZE; VACUUM")(t, path)
	must(t, s.Insert(t.Context(), record(2), ledger.Event{To: ledger.Pending}))
	expectSound(t, s)
	must(t, s.Close())
	must(t, open(t, path).Close())
}

// TestTheLedgerOfSchema2IsWhatProgramsMake fails when the schema was changed without a step or a new number: the ledger in
// testdata is what is out there.
func TestTheLedgerOfSchema2IsWhatProgramsMake(t *testing.T) {
	t.Parallel()
	fresh, path := newPath(t), released(t, "schema2")
	must(t, open(t, fresh).Close())
	must(t, open(t, path).Close())
	if diff := cmp.Diff(schemaOf(t, fresh), schemaOf(t, path)); diff != "" {
		t.Errorf("schemas (-new +schema2.db):\n%s", diff)
	}
}
