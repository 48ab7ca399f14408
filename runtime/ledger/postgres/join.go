package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

var _ ledger.Joiner = (*Store)(nil)

// JoinLimit implements ledger.Joiner. A body keeps nobody else from the ledger, but it has one of the connections of this
// program to itself.
func (s *Store) JoinLimit() time.Duration { return 0 }

// Join implements ledger.Joiner. Body comes by its transaction with Tx. The transaction sees one state of the database
// (REPEATABLE READ): where others have changed what body writes to, since the first look, it fails. Nothing is tried again.
func (s *Store) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	const doing = "join a body"
	done, err := s.alone(ctx, doing)
	if err != nil {
		return rolledBack(err)
	}
	defer done()
	conn, err := s.acquire(ctx, s.pool, doing)
	if err != nil {
		return rolledBack(err)
	}
	defer conn.Release() // which closes one that is in a transaction still
	id, err := s.joinOn(ctx, conn, body)
	var undecided *undecidedError
	var own *bodyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own):
		return rolledBack(own.error)
	case errors.As(err, &undecided):
		return s.unsure.after(s.undecided(doing+" of "+id, undecided.error), id)
	case isAnswer(err):
		return rolledBack(err)
	}
	return rolledBack(s.explain(doing, err))
}

// bodyError is what a body failed with. It says nothing of the ledger.
type bodyError struct{ error }

// joinOn tells whose record body returned.
func (s *Store) joinOn(
	ctx context.Context, conn *pgxpool.Conn, body func(context.Context) (ledger.Record, ledger.Event, error),
) (id string, err error) {
	own := context.WithoutCancel(ctx) // what the store does itself is not cut off
	beginning, cancel := context.WithTimeout(own, s.patience())
	defer cancel()
	tx, err := conn.BeginTx(beginning, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadWrite})
	if err != nil {
		return "", err
	}
	defer s.end(own, tx)
	r, e, err := lend(ctx, tx, body)
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("%s: left before the commit: %w", s, ctx.Err())
	}
	if err != nil {
		return "", &bodyError{err}
	}
	ending, cancel := context.WithTimeout(own, s.patience())
	defer cancel()
	if err := s.carryOut(ending, tx, &item{swaps: true, waits: true, record: r, event: e}, nil); err != nil {
		return "", err
	}
	return r.ID, committed(conn, tx.Commit(ending))
}

// end rolls back what was not committed. A transaction that it cannot end goes with its connection.
func (s *Store) end(ctx context.Context, tx pgx.Tx) {
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	_ = tx.Rollback(ctx) // of one that is committed it does nothing
}

// rolledBack is the error of a Join of which nothing was written.
func rolledBack(err error) error { return fmt.Errorf("%w: %w", ledger.ErrRolledBack, err) }
