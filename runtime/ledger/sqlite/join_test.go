package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/internal/faultdisk"
	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/sqlite"
)

// errNotJoined is what adds a row without a transaction.
var errNotJoined = errors.New("no joined body")

func TestJoinConformance(t *testing.T) {
	t.Parallel()
	ledgertest.RunJoin(t, func(t *testing.T) (ledgertest.Opener, ledgertest.Rows) {
		path := newQuickPath(t)
		open := func(clock func() time.Time) ledger.Store {
			s := open(t, path, sqlite.WithClock(clock))
			execute("CREATE TABLE notes (text TEXT NOT NULL)")(t, path)
			return s
		}
		return open, ledgertest.Rows{
			Add: addNote, Commit: ending((*sql.Tx).Commit), Rollback: ending((*sql.Tx).Rollback), Exec: executeIn,
			All: func() []string { return notes(t, path) },
		}
	})
}

// ending ends the transaction of a joined body by hand.
func ending(end func(*sql.Tx) error) func(context.Context) error {
	return func(ctx context.Context) error {
		tx, _ := sqlite.Tx(ctx)
		return end(tx)
	}
}

// executeIn makes a statement in the transaction of a joined body.
func executeIn(ctx context.Context, statement string) error {
	tx, _ := sqlite.Tx(ctx)
	_, err := tx.ExecContext(ctx, statement)
	return err
}

func addNote(ctx context.Context, text string) error {
	tx, ok := sqlite.Tx(ctx)
	if !ok {
		return errNotJoined
	}
	_, err := tx.ExecContext(ctx, "INSERT INTO notes VALUES (?)", text)
	return err
}

// notes are the texts that are committed, as another connection sees them.
func notes(t *testing.T, path string) []string {
	t.Helper()
	return strings.Fields(textOf(t, path, "SELECT coalesce(group_concat(text, ' '), '') FROM notes"))
}

// joining is a ledger with tables of its author beside it, and a change with a joined claim.
type joining struct {
	*sqlite.Store
	path    string
	claimed ledger.Record
}

const authors = "CREATE TABLE notes (text TEXT UNIQUE NOT NULL); CREATE TABLE owners (id INTEGER PRIMARY KEY); INSERT INTO owners VALUES (1); " +
	"CREATE TABLE pets (owner INTEGER NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED); " +
	"CREATE TABLE traps (id INTEGER); CREATE TRIGGER trap AFTER INSERT ON traps BEGIN UPDATE changes SET status = 'pending'; END"

func newJoining(t *testing.T) *joining {
	t.Helper()
	return newJoiningAt(t, newQuickPath(t))
}

func newJoiningAt(t *testing.T, path string) *joining {
	t.Helper()
	j := &joining{path: path, Store: openToDamage(t, path)}
	execute(authors)(t, j.path)
	r := record(1)
	r.Status, r.Joined = ledger.Applying, true
	must(t, j.Insert(t.Context(), r, ledger.Event{To: ledger.Applying}))
	var err error
	j.claimed, _, err = j.Get(t.Context(), r.ID)
	must(t, err)
	return j
}

// join runs a body that says that the change was applied.
func (j *joining) join(ctx context.Context, body func(context.Context, *sql.Tx) error) error {
	return j.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		tx, ok := sqlite.Tx(ctx)
		if !ok {
			return ledger.Record{}, ledger.Event{}, errNotJoined
		}
		r := j.claimed
		r.Status = ledger.Applied
		return r, ledger.Event{From: ledger.Applying, To: ledger.Applied}, body(ctx, tx)
	})
}

// expect checks where the change stands, and what was noted.
func (j *joining) expect(t *testing.T, status ledger.Status, noted ...string) {
	t.Helper()
	r, _, err := j.Get(t.Context(), j.claimed.ID)
	must(t, err)
	if got := notes(t, j.path); r.Status != status || strings.Join(got, " ") != strings.Join(noted, " ") {
		t.Errorf("the change is %s, and %q were noted", r.Status, got)
	}
	expectSound(t, j.Store)
	must(t, j.Insert(t.Context(), record(2), ledger.Event{To: ledger.Pending})) // it goes on
}

// forbidden are statements that a joined body may not make, and what each is told.
var forbidden = map[string]struct{ sql, told string }{
	"begin":                   {"BEGIN", "BEGIN"},
	"hidden in a script":      {"SELECT 1; BEGIN; INSERT INTO notes VALUES ('more')", "BEGIN"},
	"claim again":             {"UPDATE changes SET status = 'pending'", "write to changes"},
	"in capitals":             {"DELETE FROM EVENTS", "write to events"},
	"account":                 {"UPDATE ledger SET writes = 0", "write to ledger"},
	"insert a change":         {"INSERT INTO changes SELECT * FROM changes", "write to changes"},
	"by a trigger":            {"INSERT INTO traps VALUES (1)", "write to changes"},
	"make a trigger":          {"CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM events; END", "change the database"},
	"stand in for a table":    {"CREATE TEMP TABLE changes (n)", "change the database"},
	"drop a table":            {"DROP TABLE events", "change the database"},
	"another file":            {"ATTACH ':memory:' AS other", "change the database"},
	"schema number":           {"PRAGMA user_version = 9", "PRAGMA user_version"},
	"what a commit waits for": {"PRAGMA synchronous = OFF", "PRAGMA synchronous"},
}

// TestAJoinedBodyCannotDoMoreThanItsPart has a body try each, note it if it can, and go on.
func TestAJoinedBodyCannotDoMoreThanItsPart(t *testing.T) {
	t.Parallel()
	for name, c := range forbidden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			must(t, j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				_, err := tx.ExecContext(ctx, c.sql)
				if err == nil || !strings.Contains(err.Error(), c.told+":") {
					t.Errorf("%s: got error %v", c.sql, err)
				}
				if _, err := tx.PrepareContext(ctx, c.sql); err == nil && !strings.Contains(c.sql, ";") {
					t.Errorf("%s was prepared", c.sql)
				}
				return addNote(ctx, "one")
			}))
			j.expect(t, ledger.Applied, "one")
		})
	}
}

// unfinished are bodies that say that all is well over a transaction that is not as it was given to them.
var unfinished = map[string]func(context.Context, *sql.Tx) error{
	"a conflict rolled it back, and what follows would be kept": func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, "INSERT OR ROLLBACK INTO notes VALUES ('one')"); err == nil {
			return errors.New("the note was taken twice")
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO notes VALUES ('two')"); err == nil {
			return errors.New("it was noted outside of the transaction")
		}
		return nil
	},
	"a foreign key that the commit checks": func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO pets VALUES (2)")
		return err
	},
}

// TestATransactionThatIsNotWholeIsNotCommitted tells that it was rolled back.
func TestATransactionThatIsNotWholeIsNotCommitted(t *testing.T) {
	t.Parallel()
	for name, body := range unfinished {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				if err := addNote(ctx, "one"); err != nil {
					t.Error(err)
				}
				if err := body(ctx, tx); err != nil {
					t.Error(err)
				}
				return nil
			})
			expectError(t, "join", err, ledger.ErrRolledBack)
			j.expect(t, ledger.Applying)
		})
	}
}

// TestAJoinedBodyLeavesNothingOpen has a body leave rows, a statement and a savepoint behind.
func TestAJoinedBodyLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	var left *sql.Stmt
	must(t, j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) (err error) {
		if left, err = tx.PrepareContext(ctx, "INSERT INTO notes VALUES (?)"); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "SAVEPOINT here"); err != nil {
			return err
		}
		if _, err := left.ExecContext(ctx, "one"); err != nil {
			return err
		}
		_, err = tx.QueryContext(ctx, "SELECT id FROM changes UNION ALL SELECT id FROM changes")
		return err
	}))
	if _, err := left.ExecContext(t.Context(), "two"); err == nil {
		t.Error("a statement of the body outlasts it")
	}
	j.expect(t, ledger.Applied, "one")
}

// TestAStatementThatRunsOnIsInterrupted has a body leave behind a statement that would never end, and that does not heed the
// context of the body.
func TestAStatementThatRunsOnIsInterrupted(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	ended := make(chan error)
	err := j.join(t.Context(), func(_ context.Context, tx *sql.Tx) error {
		begun := make(chan struct{})
		go func() {
			close(begun)
			_, err := tx.ExecContext(context.Background(), endless)
			ended <- err
		}()
		<-begun
		return errors.New("given up")
	})
	expectError(t, "join", err, ledger.ErrRolledBack)
	if err := <-ended; err == nil {
		t.Error("the statement came to an end by itself")
	}
	j.expect(t, ledger.Applying)
}

// TestForeignKeysHoldForAJoinedBody has a body break one that is checked at once.
func TestForeignKeysHoldForAJoinedBody(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	execute("CREATE TABLE toys (owner INTEGER REFERENCES owners)")(t, j.path)
	err := j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO toys VALUES (2)")
		return err
	})
	expectError(t, "join", err, ledger.ErrRolledBack)
	j.expect(t, ledger.Applying)
}

// TestNobodyWritesDuringAJoin has another store, as in another process, try to.
func TestNobodyWritesDuringAJoin(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	other := open(t, j.path, sqlite.WithBusyTimeout(time.Millisecond))
	must(t, j.join(t.Context(), func(ctx context.Context, _ *sql.Tx) error {
		expectError(t, "insert", other.Insert(t.Context(), record(3), ledger.Event{To: ledger.Pending}), ledger.ErrBusy)
		return addNote(ctx, "one")
	}))
	j.expect(t, ledger.Applied, "one")
}

// TestThereIsNoTransactionOutsideOfAJoinedBody is what the hooks of a preview find.
func TestThereIsNoTransactionOutsideOfAJoinedBody(t *testing.T) {
	t.Parallel()
	if tx, ok := sqlite.Tx(t.Context()); ok || tx != nil {
		t.Errorf("there is %v", tx)
	}
}

// TestAJoinOnADiskThatFailsAtAnyPoint lets each write and sync of a join fail. What was noted is there if, and only if, the
// change is applied, and who was told that nothing was written was told the truth.
func TestAJoinOnADiskThatFailsAtAnyPoint(t *testing.T) {
	t.Parallel()
	failed := true
	for n := 1; failed; n++ {
		path := newPath(t)
		disk := faultdisk.In(filepath.Dir(path))
		j := newJoiningAt(t, path)
		disk.FailOnce(n, faultdisk.NoSpace)
		told := j.join(t.Context(), func(ctx context.Context, _ *sql.Tx) error { return addNote(ctx, "one") })
		failed = disk.Failed() != ""
		disk.Repair()
		must(t, j.Close())
		s := open(t, path)
		r, _, err := s.Get(t.Context(), j.claimed.ID)
		must(t, err)
		applied, noted := r.Status == ledger.Applied, len(notes(t, path)) == 1
		lied := told == nil && !applied || errors.Is(told, ledger.ErrRolledBack) && applied
		if applied != noted || lied {
			t.Errorf("after %q failed, and %v was told, the change is %s and %t that it is noted", disk.Failed(), told, r.Status, noted)
		}
		must(t, s.Close())
	}
}

// TestACommitThatBreaksAPromiseOfAnotherTableIsToldAsSuch has a row of the author's refer to a change that is pruned.
func TestACommitThatBreaksAPromiseOfAnotherTableIsToldAsSuch(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	must(t, j.join(t.Context(), func(context.Context, *sql.Tx) error { return nil }))
	execute("CREATE TABLE audit (change TEXT REFERENCES changes (id) DEFERRABLE INITIALLY DEFERRED); INSERT INTO audit SELECT id FROM changes")(t, j.path)
	n, err := j.Prune(t.Context(), ledger.Query{Statuses: []ledger.Status{ledger.Applied}}, 1)
	if n != 0 || err == nil || errors.Is(err, ledger.ErrUnavailable) || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%d were pruned, and %v is told", n, err)
	}
	j.expect(t, ledger.Applied)
}
