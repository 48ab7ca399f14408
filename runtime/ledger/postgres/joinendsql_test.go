package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
)

// endings are statements that end a transaction, or would behind one that a joined body may not make either.
var endings = []string{
	"COMMIT", "end", " /* a /* nested */ one */ COMMIT", "-- here\ncommit AND CHAIN", "ROLLBACK", "ABORT", "ROLLBACK WORK", "ROLLBACK AND CHAIN",
	"PREPARE TRANSACTION 'x'", "SET search_path = public; ROLLBACK",
}

// TestAJoinThatItsBodyTriedToEndBySQLWritesNothing has a body try in every way there is, and say that all is well.
func TestAJoinThatItsBodyTriedToEndBySQLWritesNothing(t *testing.T) {
	t.Parallel()
	for way, try := range ways {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			for _, sql := range endings {
				err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
					noted := addNote(ctx, "one")
					if try(ctx, tx, sql) == nil {
						t.Errorf("%q was carried out", sql)
					}
					failsWith(t, "what follows "+sql, addNote(ctx, "two"), pgx.ErrTxClosed)
					return noted
				})
				failsWith(t, sql, err, ledger.ErrRolledBack)
			}
			j.expect(t, ledger.Applying)
		})
	}
}

// TestAJoinThatItsBodyTriedToEndMeanwhileWritesNothing has bodies try while they read rows, in a nested transaction, in a batch
// that is not sent, and from what is called back.
func TestAJoinThatItsBodyTriedToEndMeanwhileWritesNothing(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range inBetween {
		for how, end := range map[string]func(context.Context, pgx.Tx) error{
			"by SQL":   func(ctx context.Context, tx pgx.Tx) error { return ways["exec"](ctx, tx, "ROLLBACK") },
			"by batch": func(ctx context.Context, tx pgx.Tx) error { return ways["batch"](ctx, tx, "ROLLBACK") },
			"rollback": func(ctx context.Context, tx pgx.Tx) error { return tx.Rollback(ctx) },
			"commit":   func(ctx context.Context, tx pgx.Tx) error { return tx.Commit(ctx) },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				j := newJoining(t)
				err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
					noted := addNote(ctx, "one")
					meanwhile(ctx, tx, func() { _ = end(ctx, tx) })
					return noted
				})
				failsWith(t, "join", err, ledger.ErrRolledBack)
				j.expect(t, ledger.Applying)
			})
		}
	}
}

// inBetween call back in the middle of something that a body does.
var inBetween = map[string]func(ctx context.Context, tx pgx.Tx, callback func()){
	"while it reads rows": func(ctx context.Context, tx pgx.Tx, callback func()) {
		rows, _ := tx.Query(ctx, "SELECT 'one' FROM generate_series(1, 3)")
		rows.Next()
		callback()
		rows.Close()
	},
	"in a nested transaction": func(ctx context.Context, tx pgx.Tx, callback func()) {
		_ = pgx.BeginFunc(ctx, tx, func(pgx.Tx) error {
			callback()
			return errGivenUp
		})
	},
	"when something is called back": func(ctx context.Context, tx pgx.Tx, callback func()) {
		_ = callers["a batch"](ctx, tx, func() error {
			callback()
			return nil
		})
	},
}

// TestABatchThatWouldEndAJoinOverAPlainConnectionWritesNothing has a body send one that is refused for another reason too.
func TestABatchThatWouldEndAJoinOverAPlainConnectionWritesNothing(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	j.Store = open(t, j.dsn+"&default_query_exec_mode=simple_protocol")
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		err := addNote(ctx, "one")
		if ways["batch"](ctx, tx, "ROLLBACK") == nil {
			err = errors.Join(err, errors.New("it was carried out"))
		}
		return err
	})
	failsWith(t, "join", err, ledger.ErrRolledBack)
	j.expect(t, ledger.Applying)
}

// TestABodyMayGoBackToASavepoint has one take back a part, in every way in which that is written, and keep the rest.
func TestABodyMayGoBackToASavepoint(t *testing.T) {
	t.Parallel()
	for _, back := range []string{"ROLLBACK TO here", "rollback work to savepoint here", "ROLLBACK TRANSACTION TO here"} {
		j := newJoining(t)
		err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
			one, set := addNote(ctx, "one"), executeIn(ctx, "SAVEPOINT here")
			two, taken := addNote(ctx, "two"), executeIn(ctx, back)
			return errors.Join(one, set, two, taken, executeIn(ctx, "RELEASE here"))
		})
		if err != nil {
			t.Errorf("%s: %v", back, err)
		}
		j.expect(t, ledger.Applied, "one")
	}
}
