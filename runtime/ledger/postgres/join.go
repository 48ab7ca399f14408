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

// JoinLimit implements ledger.Joiner. A body keeps nobody from the ledger but other bodies of this program: each has one of its
// connections to itself, and there is an end to these.
func (s *Store) JoinLimit() time.Duration { return 0 }

// Join implements ledger.Joiner. Body comes by its transaction with Tx. The transaction sees one state of the database
// (REPEATABLE READ): where others have changed what body writes to, since the first look, its statement fails with SQLSTATE 40001.
// A body that returns that error, or wraps it, makes it ErrOvertaken. Two bodies that each only add rows do not meet: where a sum
// over them has to hold, lock a row that both need, or have a constraint. Nothing is tried again.
func (s *Store) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	const doing = "join a body"
	done, err := s.alone(ctx, s.joins, doing)
	if err != nil {
		return rolledBack(err)
	}
	defer done()
	conn, err := s.acquire(ctx, s.pool, doing)
	if err != nil {
		return rolledBack(err)
	}
	defer conn.Release() // which closes one that is in a transaction still
	g := s.newGate(conn)
	defer s.clean(conn, g)
	end, err := s.joinOn(ctx, conn, g, body)
	var undecided *undecidedError
	var own *bodyError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &own) && codeOf(own.error) == codeSerialization:
		return rolledBack(fmt.Errorf("%w: %w", ledger.ErrOvertaken, own.error))
	case errors.As(err, &own):
		return rolledBack(own.error)
	case errors.As(err, &undecided) && end.id() == "":
		return s.undecided(doing, undecided.error, lookAtChange)
	case errors.As(err, &undecided):
		return s.unsure.after(s.undecided(doing+" of "+end.id(), undecided.error, lookAtChange), end)
	case isAnswer(err):
		return rolledBack(err)
	}
	return rolledBack(s.explain(doing, err))
}

// bodyError is what a body failed with. It says nothing of the ledger.
type bodyError struct{ error }

// joinOn gives the end that body returned, with an error as well.
func (s *Store) joinOn(
	ctx context.Context, conn *pgxpool.Conn, g *gate, body func(context.Context) (ledger.Record, ledger.Event, error),
) (end *item, err error) {
	end = &item{swaps: true, waits: true}
	own := context.WithoutCancel(ctx) // what the store does itself is not cut off
	beginning, cancel := context.WithTimeout(own, s.patience())
	defer cancel()
	tx, err := conn.BeginTx(beginning, pgx.TxOptions{BeginQuery: s.beginJoin()})
	if err != nil {
		return end, err
	}
	defer s.end(own, tx, g)
	end.record, end.event, err = s.lend(ctx, tx, g, body)
	if g.abandoned {
		return end, &bodyError{err}
	}
	ending, cancel := context.WithTimeout(own, s.patience())
	defer cancel()
	if s.endedWithin(ending, tx) {
		return end, &undecidedError{errors.Join(errElsewhere, err)}
	}
	if err == nil && ctx.Err() != nil {
		err = fmt.Errorf("%s: left before the commit: %w", s, ctx.Err())
	}
	if err != nil {
		return end, &bodyError{err}
	}
	err = s.carryOut(ending, tx, end, nil)
	switch {
	case codeOf(err) == codeSerialization: // the row has moved on since the transaction began
		return end, fmt.Errorf("%s: %s: %w: %w", s, end.doing(), ledger.ErrConflict, err)
	case err != nil:
		return end, err
	}
	return end, leftToCommit(commit(ending, conn, tx))
}

// beginJoin begins a transaction in which the server asks for this host, if it can.
func (s *Store) beginJoin() string {
	if !s.asks.Load() {
		return beginJoin
	}
	return beginJoin + "; " + aliveLocally
}

// leftToCommit is what a commit failed with. What the server refuses there is of the body: its constraints and triggers that were
// deferred.
func leftToCommit(err error) error {
	if codeOf(err) != "" && wroteNothing(err) {
		return &bodyError{fmt.Errorf("what the joined body left to the commit failed: %w", err)}
	}
	return err
}

// end rolls back what was not committed. A transaction that it cannot end goes with its connection.
func (s *Store) end(ctx context.Context, tx pgx.Tx, g *gate) {
	if g.abandoned {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, s.patience())
	defer cancel()
	_ = tx.Rollback(ctx) // of one that is committed it does nothing
}

// cleanSQL takes back what a body may have left of its session, which others use next: DISCARD ALL without the statements that
// the driver has prepared.
const cleanSQL = "CLOSE ALL; RESET SESSION AUTHORIZATION; RESET ROLE; RESET ALL; UNLISTEN *; SELECT pg_advisory_unlock_all(); " +
	"DISCARD TEMP; DISCARD SEQUENCES"

// clean makes the session of a joined body what it was. One that cannot be goes with its connection.
func (s *Store) clean(conn *pgxpool.Conn, g *gate) {
	if g.abandoned || conn.Conn().IsClosed() || conn.Conn().PgConn().TxStatus() != idle {
		return // and it is closed when it is released
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.busyTimeout)
	defer cancel()
	_, err := conn.Conn().PgConn().Exec(ctx, cleanSQL).ReadAll()
	for _, name := range g.prepared.owns() {
		if err == nil {
			err = conn.Conn().Deallocate(ctx, name)
		}
	}
	if err != nil {
		_ = conn.Conn().Close(ctx)
	}
}

// rolledBack is the error of a Join of which nothing was written.
func rolledBack(err error) error { return fmt.Errorf("%w: %w", ledger.ErrRolledBack, err) }
