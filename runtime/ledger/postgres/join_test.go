package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// errNotJoined is what adds a row without a transaction.
var errNotJoined = errors.New("no joined body")

func TestJoinConformance(t *testing.T) {
	t.Parallel()
	ledgertest.RunJoin(t, func(t *testing.T) (ledgertest.Opener, ledgertest.Rows) {
		dsn := newDatabase(t)
		execute(t, dsn, authors)
		open := func(clock func() time.Time) ledger.Store { return open(t, dsn, postgres.WithClock(clock)) }
		return open, ledgertest.Rows{
			Add: addNote, Commit: ending(pgx.Tx.Commit), Rollback: ending(pgx.Tx.Rollback), Exec: executeIn,
			All: func() []string { return notes(t, dsn) },
		}
	})
}

// authors are tables beside a ledger.
const authors = "CREATE TABLE notes (text text UNIQUE NOT NULL); CREATE TABLE owners (id int PRIMARY KEY); INSERT INTO owners VALUES (1); " +
	"CREATE TABLE pets (owner int NOT NULL REFERENCES owners DEFERRABLE INITIALLY DEFERRED)"

// ending ends the transaction of a joined body by hand.
func ending(end func(pgx.Tx, context.Context) error) func(context.Context) error {
	return func(ctx context.Context) error {
		tx, _ := postgres.Tx(ctx)
		return end(tx, ctx)
	}
}

// executeIn makes a statement in the transaction of a joined body.
func executeIn(ctx context.Context, statement string) error {
	tx, _ := postgres.Tx(ctx)
	_, err := tx.Exec(ctx, statement)
	return err
}

func addNote(ctx context.Context, text string) error {
	tx, ok := postgres.Tx(ctx)
	if !ok {
		return errNotJoined
	}
	_, err := tx.Exec(ctx, "INSERT INTO notes VALUES ($1)", text)
	return err
}

// dial is a connection of its own.
func dial(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

func execute(t *testing.T, dsn, sql string) {
	t.Helper()
	if _, err := dial(t, dsn).Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// notes are the texts that are committed, as another connection sees them.
func notes(t *testing.T, dsn string) []string {
	t.Helper()
	rows, err := dial(t, dsn).Query(t.Context(), "SELECT text FROM notes ORDER BY text")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// joining is a ledger with tables of its author beside it, and a change with a joined claim.
type joining struct {
	*postgres.Store
	dsn     string
	claimed ledger.Record
}

func newJoining(t *testing.T) *joining {
	t.Helper()
	j := &joining{dsn: newDatabase(t)}
	j.Store = open(t, j.dsn)
	execute(t, j.dsn, authors)
	r := ledger.Record{Fixed: ledger.Fixed{ID: "chg_1"}, Mutable: ledger.Mutable{Status: ledger.Applying, Joined: true}}
	if err := j.Insert(t.Context(), r, ledger.Event{To: ledger.Applying}); err != nil {
		t.Fatal(err)
	}
	var err error
	if j.claimed, _, err = j.Get(t.Context(), r.ID); err != nil {
		t.Fatal(err)
	}
	return j
}

// join runs a body that says that the change was applied.
func (j *joining) join(ctx context.Context, body func(context.Context, pgx.Tx) error) error {
	return j.Join(ctx, func(ctx context.Context) (ledger.Record, ledger.Event, error) {
		tx, ok := postgres.Tx(ctx)
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
	if err != nil {
		t.Fatal(err)
	}
	if got := notes(t, j.dsn); r.Status != status || strings.Join(got, " ") != strings.Join(noted, " ") {
		t.Errorf("the change is %s, and %q were noted", r.Status, got)
	}
}

// forbidden are statements that a joined body may not make.
var forbidden = []string{
	"BEGIN", "START TRANSACTION", "SET search_path = changesetgen", " /* a /* nested */ one */ RESET ALL", "-- here\ndiscard all", "LISTEN x",
	"CREATE TEMP TABLE t (n int)", "DROP TABLE notes", "PREPARE x AS SELECT 1", "",
}

// ways are those in which a body can send a statement.
var ways = map[string]func(ctx context.Context, tx pgx.Tx, sql string) error{
	"exec":  func(ctx context.Context, tx pgx.Tx, sql string) error { _, err := tx.Exec(ctx, sql); return err },
	"query": func(ctx context.Context, tx pgx.Tx, sql string) error { _, err := tx.Query(ctx, sql); return err },
	"row":   func(ctx context.Context, tx pgx.Tx, sql string) error { return tx.QueryRow(ctx, sql).Scan() },
	"prepare": func(ctx context.Context, tx pgx.Tx, sql string) error {
		_, err := tx.Prepare(ctx, "it", sql)
		return err
	},
	"rows": func(ctx context.Context, tx pgx.Tx, sql string) error {
		unchecked, _ := tx.Query(ctx, sql)
		_, err := pgx.CollectRows(unchecked, pgx.RowTo[string])
		return err
	},
	"simple": func(ctx context.Context, tx pgx.Tx, sql string) error {
		_, err := tx.Exec(ctx, sql, pgx.QueryExecModeSimpleProtocol)
		return err
	},
	"batch": func(ctx context.Context, tx pgx.Tx, sql string) error {
		var batch pgx.Batch
		batch.Queue("SELECT 1")
		batch.Queue(sql)
		return tx.SendBatch(ctx, &batch).Close()
	},
}

// TestAJoinedBodyCannotDoMoreThanItsPart has a body try each in every way there is, note something, and go on.
func TestAJoinedBodyCannotDoMoreThanItsPart(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		for _, sql := range forbidden {
			for name, try := range ways {
				if err := try(ctx, tx, sql); err == nil || !strings.Contains(err.Error(), "a joined body changes rows") {
					t.Errorf("%q by %s: %v", sql, name, err)
				}
			}
		}
		large := tx.LargeObjects()
		_, err := large.Create(ctx, 0)
		failsWith(t, "a large object", err, pgx.ErrTxClosed)
		return addNote(ctx, "one")
	})
	if err != nil {
		t.Fatal(err)
	}
	j.expect(t, ledger.Applied, "one")
}

// TestAJoinedBodyUsesItsTransactionAsAnyOther goes through what it may do.
func TestAJoinedBodyUsesItsTransactionAsAnyOther(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	if err := j.join(t.Context(), useAll); err != nil {
		t.Fatal(err)
	}
	j.expect(t, ledger.Applied, "batch", "copy", "nested", "one", "prepared")
}

func useAll(ctx context.Context, tx pgx.Tx) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return err
	}
	_, err = inner.Exec(ctx, "INSERT INTO notes VALUES ('nested')")
	err = errors.Join(err, inner.Commit(ctx))
	if inner, err2 := tx.Begin(ctx); err2 == nil {
		_, err2 = inner.Exec(ctx, "INSERT INTO notes VALUES ('taken back')")
		err = errors.Join(err, err2, inner.Rollback(ctx))
	}
	var batch pgx.Batch
	batch.Queue("INSERT INTO notes VALUES ($1)", "batch")
	batch.Queue("SELECT count(*) FROM notes").QueryRow(func(row pgx.Row) error { var n int; return row.Scan(&n) })
	err = errors.Join(err, tx.SendBatch(ctx, &batch).Close())
	_, copied := tx.CopyFrom(ctx, pgx.Identifier{"notes"}, []string{"text"}, pgx.CopyFromRows([][]any{{"copy"}}))
	_, prepared := tx.Prepare(ctx, "add", "INSERT INTO notes VALUES ($1)")
	_, added := tx.Exec(ctx, "add", "prepared")
	rows, looked := tx.Query(ctx, "SELECT text FROM notes UNION ALL SELECT text FROM notes")
	if looked == nil {
		_, looked = pgx.CollectRows(rows, pgx.RowTo[string])
	}
	err = errors.Join(err, copied, prepared, added, looked, addNoteIn(ctx, tx))
	_, left := tx.Query(ctx, "WITH x AS (SELECT 1) SELECT * FROM x, generate_series(1, 100000)") // and not closed
	return errors.Join(err, left)
}

func addNoteIn(ctx context.Context, tx pgx.Tx) error {
	var text string
	return tx.QueryRow(ctx, "INSERT INTO notes VALUES ('one') RETURNING text").Scan(&text)
}

// unfinished are bodies that say that all is well over a transaction that is not as it was given to them.
var unfinished = map[string]func(context.Context, *joining, pgx.Tx) error{
	"a statement failed": func(ctx context.Context, _ *joining, tx pgx.Tx) error {
		if err := addNote(ctx, "one"); err == nil {
			return errors.New("the note was taken twice")
		}
		return nil
	},
	"a foreign key that the commit checks": func(ctx context.Context, _ *joining, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "INSERT INTO pets VALUES (2)")
		return err
	},
	"its connection is gone": func(ctx context.Context, j *joining, tx pgx.Tx) error {
		var pid int
		if err := tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&pid); err != nil {
			return err
		}
		other, err := pgx.Connect(ctx, j.dsn)
		if err != nil {
			return err
		}
		_, err = other.Exec(ctx, "SELECT pg_terminate_backend($1)", pid)
		return errors.Join(err, other.Close(ctx))
	},
}

// TestATransactionThatIsNotWholeIsNotCommitted tells that it was rolled back.
func TestATransactionThatIsNotWholeIsNotCommitted(t *testing.T) {
	t.Parallel()
	for name, body := range unfinished {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				return errors.Join(addNote(ctx, "one"), body(ctx, j, tx))
			})
			if !errors.Is(err, ledger.ErrRolledBack) {
				t.Errorf("join: %v", err)
			}
			j.expect(t, ledger.Applying)
		})
	}
}

// TestWhatOthersHaveChangedSinceTheLookFailsAJoin has another write to the row that a body has looked at.
func TestWhatOthersHaveChangedSinceTheLookFailsAJoin(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "SELECT FROM owners"); err != nil {
			return err
		}
		execute(t, j.dsn, "UPDATE owners SET id = 2")
		if _, err := tx.Exec(ctx, "UPDATE owners SET id = 3"); err != nil {
			return fmt.Errorf("name the owner: %w", err)
		}
		return nil
	})
	failsWith(t, "the join", err, ledger.ErrRolledBack)
	failsWith(t, "the join", err, ledger.ErrOvertaken)
	j.expect(t, ledger.Applying)
}

// TestWhatIsLeftToTheCommitFailsAsTheBodyDoes has a constraint of the author fail there, with codes that the ledger's own tables
// could be behind.
func TestWhatIsLeftToTheCommitFailsAsTheBodyDoes(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"42P01", "XX000", "42501", "53100", "P0001"} {
		j := newJoining(t)
		execute(t, j.dsn, "CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the sum is wrong' USING ERRCODE = '"+code+"'; END $$; "+
			"CREATE CONSTRAINT TRIGGER audit AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION audit()")
		err := j.join(t.Context(), func(ctx context.Context, _ pgx.Tx) error { return addNote(ctx, "one") })
		failsWith(t, code, err, ledger.ErrRolledBack)
		for _, own := range []error{ledger.ErrCorrupt, ledger.ErrUnsupported, ledger.ErrUnavailable, ledger.ErrBusy} {
			if errors.Is(err, own) {
				t.Errorf("%s is told as one of the ledger: %v", code, err)
			}
		}
		j.expect(t, ledger.Applying)
	}
}

// TestAClaimThatIsSettledDuringAJoinStays has another settle the change while its body runs.
func TestAClaimThatIsSettledDuringAJoinStays(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, _ pgx.Tx) error {
		r := j.claimed
		r.Status = ledger.ApplyFailed
		return errors.Join(addNote(ctx, "one"), j.Swap(t.Context(), r, time.Time{}, ledger.Event{From: ledger.Applying, To: ledger.ApplyFailed}))
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	failsWith(t, "join", err, ledger.ErrConflict)
	j.expect(t, ledger.ApplyFailed)
}

// TestAJoinedBodyIsInterrupted has a body leave behind a statement that does not heed its context.
func TestAJoinedBodyIsInterrupted(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	ended := make(chan error)
	err := j.join(t.Context(), func(_ context.Context, tx pgx.Tx) error {
		begun := make(chan struct{})
		go func() {
			close(begun)
			_, err := tx.Exec(context.Background(), "SELECT pg_sleep(600)")
			ended <- err
		}()
		<-begun
		return errors.New("given up")
	})
	if !errors.Is(err, ledger.ErrRolledBack) {
		t.Errorf("join: %v", err)
	}
	if err := <-ended; err == nil {
		t.Error("the statement came to an end by itself")
	}
	j.expect(t, ledger.Applying)
}
