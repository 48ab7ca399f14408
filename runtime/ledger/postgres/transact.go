package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// transaction is one that is under way.
type transaction = pgx.Tx

// errUncommitted says that a transaction was rolled back where it should have been committed.
var errUncommitted = errors.New("the server rolled it back")

// undecidedError is what a commit failed with that nobody answered for.
type undecidedError struct{ error }

func (e *undecidedError) Unwrap() error { return e.error }

// transact runs body in a transaction of its own and commits it. Once it has begun, ctx is ignored and the verdict is
// awaited. When body fails, nothing is written. Where it met with others, body is run again: it must not keep what it found.
func (s *Store) transact(ctx context.Context, doing string, body func(ctx context.Context, tx transaction) error) error {
	done, err := s.alone(ctx, s.waiting, doing)
	if err != nil {
		return err
	}
	defer done()
	until := time.Now().Add(s.busyTimeout)
	for {
		err := s.transactOnce(ctx, doing, body)
		if err == nil || !comesAgain(err) || time.Now().After(until) || pause(ctx) != nil {
			return s.explainTransaction(doing, err)
		}
	}
}

// alone waits for a turn in a queue.
func (s *Store) alone(ctx context.Context, q *gather.Queue[*item], doing string) (done func(), err error) {
	if err := s.checkOpen(); err != nil {
		return nil, err
	}
	wait, cancel := s.patient(ctx)
	defer cancel()
	done, err = q.Alone(wait)
	return done, s.explainQueue(ctx, doing, err)
}

// transactOnce runs body once, on a connection of its own.
func (s *Store) transactOnce(ctx context.Context, doing string, body func(ctx context.Context, tx transaction) error) error {
	conn, err := s.acquire(ctx, s.pool, doing)
	if err != nil {
		return err
	}
	defer conn.Release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.patience())
	defer cancel()
	return s.transactOn(ctx, conn, body)
}

func (s *Store) transactOn(ctx context.Context, conn *pgxpool.Conn, body func(ctx context.Context, tx transaction) error) error {
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.ReadCommitted, AccessMode: pgx.ReadWrite})
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }() // of one that is committed it does nothing
	var c clause
	s.addSettings(&c, s.busyTimeout)
	c.add(silenceSQL, milliseconds(s.patience()))
	query, args := c.statement(&s.options)
	if _, err = tx.Exec(ctx, query, args...); err == nil {
		err = body(ctx, tx)
	}
	if err != nil {
		return err
	}
	return commit(ctx, conn, tx)
}

// commit ends a transaction. What its statements have warned of says nothing of its commit.
func commit(ctx context.Context, conn *pgxpool.Conn, tx transaction) error {
	forgetWarnings(conn.Conn().PgConn())
	err := confirmed(conn.Conn().PgConn(), tx.Commit(ctx))
	switch {
	case errors.Is(err, pgx.ErrTxCommitRollback):
		return errUncommitted
	case err != nil && !wroteNothing(err):
		return &undecidedError{err}
	}
	return err
}

// explainTransaction is explain for what a transaction failed with. Only a commit can leave open whether it was written.
func (s *Store) explainTransaction(doing string, err error) error {
	var undecided *undecidedError
	switch {
	case err == nil, isAnswer(err):
		return err
	case errors.As(err, &undecided):
		return s.undecided(doing, undecided.error, lookAtChange)
	}
	return s.explain(doing, err)
}
