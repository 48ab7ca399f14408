package postgres_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// callers call back while the transaction of a body is in use.
var callers = map[string]func(ctx context.Context, tx pgx.Tx, callback func() error) error{
	"a batch": func(ctx context.Context, tx pgx.Tx, callback func() error) error {
		var batch pgx.Batch
		batch.Queue("SELECT 1").QueryRow(func(row pgx.Row) error {
			var n int
			return errors.Join(row.Scan(&n), callback())
		})
		batch.Queue("SELECT 1").Query(func(rows pgx.Rows) error {
			if rows.Conn() != nil {
				return errors.New("its rows lead to the connection")
			}
			rows.Close()
			return callback()
		})
		return tx.SendBatch(ctx, &batch).Close()
	},
	"the source of a copy": func(ctx context.Context, tx pgx.Tx, callback func() error) error {
		called := false
		_, err := tx.CopyFrom(ctx, pgx.Identifier{"notes"}, []string{"text"}, pgx.CopyFromFunc(func() ([]any, error) {
			if called {
				return nil, nil
			}
			called = true
			return []any{"copied"}, callback()
		}))
		return err
	},
	"the scan of a value": func(ctx context.Context, tx pgx.Tx, callback func() error) error {
		return tx.QueryRow(ctx, "SELECT 'one'").Scan(scanner(callback))
	},
	"the scan of a row": func(ctx context.Context, tx pgx.Tx, callback func() error) error {
		return tx.QueryRow(ctx, "SELECT 'one'").Scan(rowScanner(callback))
	},
	"the scan of a row of a batch": func(ctx context.Context, tx pgx.Tx, callback func() error) error {
		var batch pgx.Batch
		batch.Queue("SELECT 'one'").QueryRow(func(row pgx.Row) error { return row.Scan(rowScanner(callback)) })
		return tx.SendBatch(ctx, &batch).Close()
	},
}

// scanner is called back with a value.
type scanner func() error

func (s scanner) Scan(any) error { return s() }

// rowScanner is called back with a row.
type rowScanner func() error

func (s rowScanner) ScanRow(row pgx.Rows) error {
	if row.Conn() != nil {
		return errors.New("its row leads to the connection")
	}
	return s()
}

// TestWhatIsCalledBackCannotUseTheTransaction has what it tries refused, and go on.
func TestWhatIsCalledBackCannotUseTheTransaction(t *testing.T) {
	t.Parallel()
	for name, call := range callers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				err := call(ctx, tx, func() error {
					if addNote(ctx, "called back") == nil {
						t.Error("the transaction was used")
					}
					return nil
				})
				return errors.Join(err, addNote(ctx, "one"))
			})
			if err != nil {
				t.Error(err)
			}
			if got := notes(t, j.dsn); len(got) == 0 || got[len(got)-1] != "one" {
				t.Errorf("noted: %q", got)
			}
		})
	}
}

// TestWhatDoesNotReturnKeepsNoJoin has bodies given up, or say that all is well, while what they had called back waits for
// something else than the database.
func TestWhatDoesNotReturnKeepsNoJoin(t *testing.T) {
	t.Parallel()
	for name, call := range callers {
		for ending, end := range map[string]error{"given up": errGivenUp, "all is well": nil} {
			t.Run(name+", "+ending, func(t *testing.T) {
				t.Parallel()
				j := newJoining(t)
				j.Store = open(t, j.dsn+"&pool_max_conns=1")
				waits, goOn, over := make(chan struct{}), make(chan struct{}), make(chan struct{})
				isWaiting := sync.OnceFunc(func() { close(waits) })
				err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
					go func() {
						defer close(over)
						_ = call(ctx, tx, func() error {
							isWaiting()
							<-goOn
							return nil
						})
					}()
					<-waits
					j.SetBusyTimeout(shortest)
					return end
				})
				if failsWith(t, "join", err, ledger.ErrRolledBack); end != nil && !errors.Is(err, end) {
					t.Errorf("join: %v", err)
				}
				j.SetBusyTimeout(time.Minute)
				j.expect(t, ledger.Applying)
				if err := j.join(t.Context(), func(ctx context.Context, _ pgx.Tx) error { return addNote(ctx, "one") }); err != nil {
					t.Errorf("the next: %v", err)
				}
				close(goOn)
				<-over
				j.expect(t, ledger.Applied, "one")
			})
		}
	}
}

// TestRowsAreReadNoMoreOnceTheirBodyIsBack keeps the rows of a body, whose connection others use then.
func TestRowsAreReadNoMoreOnceTheirBodyIsBack(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	var rows pgx.Rows
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) (err error) {
		rows, err = tx.Query(ctx, "SELECT 'one' FROM generate_series(1, 3)")
		rows.Next()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var text string
	failsWith(t, "scan", rows.Scan(&text), pgx.ErrTxClosed)
	_, err = rows.Values()
	failsWith(t, "values", err, pgx.ErrTxClosed)
	if rows.Next() || rows.RawValues() != nil || rows.FieldDescriptions() != nil {
		t.Error("there is more to be read")
	}
	rows.Close()
	failsWith(t, "the rows", rows.Err(), pgx.ErrTxClosed)
}

// TestRowsAreAskedAboutWhileTheyAreClosed has something that a body left running ask when the body is back, as the race detector
// would tell.
func TestRowsAreAskedAboutWhileTheyAreClosed(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	back, asked := make(chan struct{}), make(chan error)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		defer close(back)
		rows, err := tx.Query(ctx, "SELECT 'one' FROM generate_series(1, 3)")
		rows.Next()
		go func() {
			<-back
			if tag := rows.CommandTag(); tag.String() != "" {
				t.Errorf("rows that are not read have the tag %q", tag)
			}
			asked <- rows.Err()
		}()
		return err
	})
	if left := <-asked; err != nil || left != nil {
		t.Errorf("the body: %v, its rows: %v", err, left)
	}
}

// TestABatchThatABodyLeavesCallsNothingBack has a body not read what it has sent.
func TestABatchThatABodyLeavesCallsNothingBack(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		var batch pgx.Batch
		batch.Queue("INSERT INTO notes VALUES ('one')").Exec(func(pgconn.CommandTag) error {
			t.Error("it was called back when its body had returned")
			return nil
		})
		tx.SendBatch(ctx, &batch)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	j.expect(t, ledger.Applied, "one")
}

// TestRowsThatAreOpenStayWhatIsToBeClosed has a body send another statement and a batch while it reads rows.
func TestRowsThatAreOpenStayWhatIsToBeClosed(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		if err := addNote(ctx, "one"); err != nil {
			return err
		}
		rows, err := tx.Query(ctx, "SELECT 1")
		if addNote(ctx, "two") == nil {
			t.Error("a statement was sent while rows were open")
		}
		var batch pgx.Batch
		batch.Queue("INSERT INTO notes VALUES ('three')")
		if tx.SendBatch(ctx, &batch).Close() == nil {
			t.Error("a batch was sent while rows were open")
		}
		for err == nil && rows.Next() {
			_, err = rows.Values()
		}
		return errors.Join(err, rows.Err())
	})
	if err != nil {
		t.Error(err)
	}
	if got := notes(t, j.dsn); len(got) != 1 || got[0] != "one" {
		t.Errorf("noted: %q", got)
	}
}

// endless gives rows at once, and then no more for longer than any test lasts.
const endless = "SELECT 'one' FROM generate_series(1, 10000) UNION ALL SELECT pg_sleep(600)::text"

// TestWhatAFailedBodyHasLeftOpenIsNotWaitedFor has a body leave a long query with another context than its own.
func TestWhatAFailedBodyHasLeftOpenIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(_ context.Context, tx pgx.Tx) error {
		_, err := tx.Query(context.Background(), endless)
		return errors.Join(err, errGivenUp)
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	failsWith(t, "join", err, errGivenUp)
	j.expect(t, ledger.Applying)
}

// TestWhatABodyHasLeftOpenIsNotWaitedForInVain has one that says that all is well leave a query without an end.
func TestWhatABodyHasLeftOpenIsNotWaitedForInVain(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		err := addNote(ctx, "one")
		j.SetBusyTimeout(shortest)
		_, left := tx.Query(context.Background(), endless)
		return errors.Join(err, left)
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	j.SetBusyTimeout(time.Minute)
	j.expect(t, ledger.Applying)
}

// session is what is left in that of a body by another: nothing, if it is 0.
const session = "SELECT count(*) FROM (SELECT 1 WHERE current_setting('app.tenant', true) <> '' OR current_setting('statement_timeout') <> '0' " +
	"UNION ALL SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() UNION ALL SELECT 1 FROM pg_cursors WHERE name <> '' " +
	"UNION ALL SELECT 1 FROM pg_listening_channels() UNION ALL SELECT 1 FROM pg_class WHERE relname = 'leftover') AS kept"

// TestAJoinedBodyLeavesNothingInItsSession has one leave all it can, and another look for it over the only connection.
func TestAJoinedBodyLeavesNothingInItsSession(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]error{"committed": nil, "rolled back": errGivenUp} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			j.Store = open(t, j.dsn+"&pool_max_conns=1")
			var left, leaves int
			err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				if err := leave(ctx, tx); err != nil {
					t.Error(err)
				}
				return errors.Join(tx.QueryRow(ctx, session).Scan(&leaves), end)
			})
			if !errors.Is(err, end) || leaves == 0 {
				t.Fatalf("join: %v, with %d kinds of things left", err, leaves)
			}
			insert(t, j.Store, 2)
			err = j.Join(t.Context(), func(ctx context.Context) (ledger.Record, ledger.Event, error) {
				tx, _ := postgres.Tx(ctx)
				_, prepared := tx.Prepare(ctx, "it", "SELECT 2")
				return claim(waiting(2), "x", "h"), claimed, errors.Join(prepared, tx.QueryRow(ctx, session).Scan(&left))
			})
			if err != nil || left != 0 {
				t.Errorf("the next: %v, with %d kinds of things left", err, left)
			}
		})
	}
}

// leave leaves in the session of a body what outlasts its transaction.
func leave(ctx context.Context, tx pgx.Tx) error {
	for _, sql := range []string{
		"SELECT set_config('app.tenant', 'one', false), set_config('statement_timeout', '1h', false)", "SELECT pg_advisory_lock(1)",
		"DECLARE kept CURSOR WITH HOLD FOR SELECT 1", "SELECT 1 AS n INTO TEMP leftover", "DO $$ BEGIN EXECUTE 'LISTEN x'; END $$",
	} {
		if _, err := tx.Exec(ctx, sql); err != nil {
			return err
		}
	}
	_, err := tx.Prepare(ctx, "it", "SELECT 1")
	return err
}

// warns has every note warned of when it is committed, as the server does of a commit that no standby confirmed.
const warns = "CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'mind'; RETURN NULL; END $$; " +
	"CREATE CONSTRAINT TRIGGER warned AFTER INSERT ON notes DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION warn()"

// TestAWarningOfABodySaysNothingOfItsCommit has a body raise one, and what it wrote another one within the commit.
func TestAWarningOfABodySaysNothingOfItsCommit(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	execute(t, j.dsn, warns)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, "DO $$ BEGIN RAISE WARNING 'mind'; END $$")
		return errors.Join(err, addNote(ctx, "one"))
	})
	if err != nil {
		t.Error(err)
	}
	j.expect(t, ledger.Applied, "one")
}
