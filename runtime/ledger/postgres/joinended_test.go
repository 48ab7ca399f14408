package postgres_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/postgres"
	"github.com/jackc/pgx/v5"
)

// TestAJoinWhoseTransactionEndedIsLeftOpen has bodies get past all that keeps them from a commit: nobody is told that
// nothing was written, and somebody is told to look.
func TestAJoinWhoseTransactionEndedIsLeftOpen(t *testing.T) {
	t.Parallel()
	for _, commit := range []string{"COMMIT", "COMMIT AND CHAIN", "COMMIT; BEGIN"} {
		for name, then := range map[string]error{"and fails": errGivenUp, "and says that all is well": nil} {
			t.Run(commit+" "+name, func(t *testing.T) {
				t.Parallel()
				j := newJoining(t)
				var log strings.Builder
				j.Store = open(t, j.dsn, postgres.WithLogger(slog.New(slog.NewTextHandler(&log, nil))))
				err := j.join(t.Context(), func(ctx context.Context, tx pgx.Tx) error {
					noted := addNote(ctx, "one")
					_, err := postgres.Unguarded(tx).Exec(ctx, commit)
					return errors.Join(noted, err, then)
				})
				if failsWith(t, "join", err, postgres.ErrUndecided); errors.Is(err, ledger.ErrRolledBack) {
					t.Errorf("join: %v", err)
				}
				if !strings.Contains(log.String(), "level=ERROR") {
					t.Errorf("the log says %q", log.String())
				}
				j.expect(t, ledger.Applying, "one")
			})
		}
	}
}
