package sqlop

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime"
)

// ExecOne runs a statement that has to change exactly one row, in a transaction of its own.
//
// No row is a runtime.Conflict: the condition of the statement no longer holds. More than one row, and whatever fails
// before the commit is sent, is a runtime.NotApplied: nothing is kept. When the commit itself fails, the error proves
// nothing either way. Ctx ends the statement and the wait for a connection, and never the commit.
func ExecOne(ctx context.Context, db *sql.DB, query string, args ...any) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return runtime.NotApplied(fmt.Errorf("connect to write: %w", err))
	}
	defer conn.Close()
	// A commit that its caller leaves may have been done or not.
	tx, err := conn.BeginTx(context.WithoutCancel(ctx), nil)
	if err != nil {
		return runtime.NotApplied(fmt.Errorf("begin to write: %w", err))
	}
	if err := ExecOneIn(ctx, tx, query, args...); err != nil {
		_ = tx.Rollback() // without a commit nothing lasts, whatever this answers
		return err
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("commit, which may or may not have been done: %w", err)
	}
	return nil
}

// ExecOneIn is ExecOne in a transaction of the caller, as that of a joined body, whose business its end is. With an error it
// must not be committed.
func ExecOneIn(ctx context.Context, tx *sql.Tx, query string, args ...any) error {
	args, err := bind(args)
	if err != nil {
		return runtime.NotApplied(err)
	}
	result, err := tx.ExecContext(ctx, query, args...)
	if err != nil {
		return runtime.NotApplied(fmt.Errorf("write: %w", err))
	}
	n, err := result.RowsAffected()
	switch {
	case err != nil:
		return runtime.NotApplied(fmt.Errorf("count the rows written: %w", err))
	case n == 0:
		return runtime.Conflict("nothing was written, because no row is as it was observed")
	case n > 1:
		return runtime.NotApplied(fmt.Errorf("the statement changed %d rows instead of one, and was rolled back; make its WHERE name one row", n))
	case ctx.Err() != nil:
		return runtime.NotApplied(fmt.Errorf("write: %w", ctx.Err()))
	}
	return nil
}
