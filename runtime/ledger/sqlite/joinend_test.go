package sqlite_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// endings are statements that end a transaction.
var endings = []string{
	"COMMIT", "END", "commit transaction", "ROLLBACK", "/* here */ rollback transaction", "SELECT 1; COMMIT; INSERT INTO notes VALUES ('more')",
}

// TestAJoinThatItsBodyTriedToEndBySQLWritesNothing has a body try with each statement, and say that all is well.
func TestAJoinThatItsBodyTriedToEndBySQLWritesNothing(t *testing.T) {
	t.Parallel()
	for _, statement := range endings {
		t.Run(statement, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				noted := addNote(ctx, "one")
				if executeIn(ctx, statement) == nil {
					t.Error("it was carried out")
				}
				expectError(t, "what follows", addNote(ctx, "two"), sql.ErrTxDone)
				return noted
			})
			expectError(t, "join", err, ledger.ErrRolledBack)
			j.expect(t, ledger.Applying)
		})
	}
}

// TestAJoinThatItsBodyTriedToEndMeanwhileWritesNothing has bodies try with a statement that they prepare, while they read rows,
// and within a savepoint that they go back to.
func TestAJoinThatItsBodyTriedToEndMeanwhileWritesNothing(t *testing.T) {
	t.Parallel()
	for name, try := range map[string]func(context.Context, *sql.Tx){
		"prepared": func(ctx context.Context, tx *sql.Tx) { _, _ = tx.PrepareContext(ctx, "ROLLBACK") },
		"a query":  func(ctx context.Context, tx *sql.Tx) { _, _ = tx.QueryContext(ctx, "COMMIT") },
		"while it reads rows": func(ctx context.Context, tx *sql.Tx) {
			rows, err := tx.QueryContext(ctx, "SELECT id FROM owners UNION ALL SELECT id FROM owners")
			if err != nil {
				t.Error(err)
				return
			}
			rows.Next()
			_ = executeIn(ctx, "ROLLBACK")
			if rows.Next() {
				t.Error("it reads on")
			}
			_ = rows.Close()
		},
		"within a savepoint": func(ctx context.Context, _ *sql.Tx) {
			for _, statement := range []string{"SAVEPOINT here", "ROLLBACK", "ROLLBACK TO here", "RELEASE here"} {
				_ = executeIn(ctx, statement)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := newJoining(t)
			err := j.join(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
				noted := addNote(ctx, "one")
				try(ctx, tx)
				return noted
			})
			expectError(t, "join", err, ledger.ErrRolledBack)
			j.expect(t, ledger.Applying)
		})
	}
}

// TestABodyMayGoBackToASavepoint has one take back a part, and keep the rest.
func TestABodyMayGoBackToASavepoint(t *testing.T) {
	t.Parallel()
	j := newJoining(t)
	must(t, j.join(t.Context(), func(ctx context.Context, _ *sql.Tx) error {
		one, set := addNote(ctx, "one"), executeIn(ctx, "SAVEPOINT here")
		two, taken := addNote(ctx, "two"), executeIn(ctx, "ROLLBACK TRANSACTION TO SAVEPOINT here")
		return errors.Join(one, set, two, taken, executeIn(ctx, "RELEASE here"))
	}))
	j.expect(t, ledger.Applied, "one")
}
