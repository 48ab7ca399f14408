package postgres_test

import (
	"context"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
)

// errGivenUp is what bodies fail with.
var errGivenUp = errors.New("given up")

// rewriter puts another statement in the place of one, with arguments of its own.
type rewriter struct {
	sql  string
	args []any
}

func (r rewriter) RewriteQuery(context.Context, *pgx.Conn, string, []any) (string, []any, error) {
	return r.sql, r.args, nil
}

// hidden are commits that are not seen in what a statement begins with.
var hidden = map[string]func(context.Context, pgx.Tx) error{
	"behind a comment that a carriage return ends": executing("--\rCOMMIT /*\nSELECT 1 */"),
	"behind another statement":                     executing("SELECT 1; COMMIT"),
	"behind another, by the simple protocol":       executing("SELECT 1; COMMIT", pgx.QueryExecModeSimpleProtocol),
	"behind another, by a later option":            executing("SELECT 1; COMMIT", pgx.QueryResultFormats{0}, pgx.QueryExecModeSimpleProtocol),
	"in a rewritten statement":                     executing("SELECT 1", rewriter{sql: "COMMIT"}),
	"in the options of a rewritten statement": executing("SELECT 1", rewriter{
		sql: "SELECT 1; COMMIT", args: []any{pgx.QueryExecModeSimpleProtocol},
	}),
	"in a rewritten statement of a batch": func(ctx context.Context, tx pgx.Tx) error {
		var batch pgx.Batch
		batch.Queue("SELECT 1", rewriter{sql: "COMMIT"})
		return tx.SendBatch(ctx, &batch).Close()
	},
	"in the transaction of a batch": func(ctx context.Context, tx pgx.Tx) error {
		var batch pgx.Batch
		batch.BeginTx(pgx.TxOptions{BeginQuery: "COMMIT AND CHAIN"})
		return tx.SendBatch(ctx, &batch).Close()
	},
	"in a block": executing("DO $$ BEGIN COMMIT; END $$"),
}

func executing(sql string, args ...any) func(context.Context, pgx.Tx) error {
	return func(ctx context.Context, tx pgx.Tx) error {
		_, err := tx.Exec(ctx, sql, args...)
		return err
	}
}

// TestNoCommitOfAJoinedBodyReachesTheServer has bodies note something and hide a commit behind it.
func TestNoCommitOfAJoinedBodyReachesTheServer(t *testing.T) {
	t.Parallel()
	for name, commit := range hidden {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				if err := addNote(ctx, "one"); err != nil {
					t.Error(err)
				}
				err := commit(ctx, tx)
				if err == nil {
					t.Error("it was carried out")
				}
				return errors.Join(errGivenUp, err)
			})
			failsWith(t, "join", err, ledger.ErrRolledBack)
			j.expect(t, ledger.Applying)
		})
	}
}

// TestWhatABodyPreparesIsNoStatementOfTheLedger has a body prepare statements under the names of those of the ledger.
func TestWhatABodyPreparesIsNoStatementOfTheLedger(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"commit", "rollback", "savepoint sp_1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
				for range 2 { // the second time it is there
					described, err := tx.Prepare(ctx, name, "INSERT INTO notes VALUES ('prepared')")
					if err != nil || described.Name != name {
						return errors.Join(err, errors.New("it has another name"))
					}
				}
				inner, err := tx.Begin(ctx)
				if err != nil {
					return err
				}
				_, err = inner.Exec(ctx, name)
				return errors.Join(err, inner.Rollback(ctx), addNote(ctx, "one"))
			})
			if err != nil {
				t.Error(err)
			}
			j.expect(t, ledger.Applied, "one")
		})
	}
}

// TestNamedArgumentsOfAJoinedBody checks that what rewrites a statement for it still can.
func TestNamedArgumentsOfAJoinedBody(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
		const add = "INSERT INTO notes VALUES (@text)"
		var batch pgx.Batch
		batch.Queue(add, pgx.StrictNamedArgs{"text": "batch"})
		_, err := tx.Exec(ctx, add, pgx.NamedArgs{"text": "exec"})
		return errors.Join(err, tx.SendBatch(ctx, &batch).Close())
	})
	if err != nil {
		t.Fatal(err)
	}
	j.expect(t, ledger.Applied, "batch", "exec")
}
