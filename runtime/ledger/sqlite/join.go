package sqlite

import (
	"context"
	"database/sql/driver"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// MaxJoin is how long the body of a Join should take at most: it holds the lock that every write of every process waits for.
const MaxJoin = 2 * time.Second

var _ ledger.Joiner = (*Store)(nil)

// JoinLimit implements ledger.Joiner. It is MaxJoin.
func (s *Store) JoinLimit() time.Duration { return MaxJoin }

// Join implements ledger.Joiner. Body comes by its transaction with Tx. Nobody else writes to the file meanwhile, and foreign
// keys hold.
func (s *Store) Join(ctx context.Context, body func(context.Context) (ledger.Record, ledger.Event, error)) error {
	own, err := s.ownObjects(ctx, s.schema())
	if err != nil {
		return rolledBack(err)
	}
	whole := false // but for the commit
	err = s.transact(ctx, func(within context.Context, _ time.Time) error {
		r, e, err := s.lendTo(ctx, own, body)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%s: left before the commit: %w", s.path, ctx.Err())
		}
		moved, err := s.newTransition(r, time.Time{}, e)
		if err != nil {
			return err
		}
		refused, failed := s.perform(within, &write{moved: moved})
		if failed != nil {
			return failed
		}
		whole = refused == nil
		return refused
	})
	if err != nil && (!whole || codeOf(err) == codeConstraint) { // a commit checks what body has left to it, as some foreign keys are
		return rolledBack(err)
	}
	return err
}

// lendTo runs body over the connection that writes, which nothing else may use meanwhile. It does so outside of Raw: what ends
// the goroutine inside of it, a panic or runtime.Goexit, costs the connection.
func (s *Store) lendTo(
	ctx context.Context, own objects, body func(context.Context) (ledger.Record, ledger.Event, error),
) (r ledger.Record, e ledger.Event, err error) {
	var engine driver.Conn
	err = s.writer.conn.Raw(func(conn any) error {
		engine = conn.(driver.Conn)
		return nil
	})
	if err != nil {
		return r, e, s.explain("lend the transaction", err)
	}
	err = lend(ctx, engine, s.writer.bonds.to(own), func(ctx context.Context) (err error) {
		r, e, err = body(ctx)
		return err
	})
	return r, e, err
}

// rolledBack is the error of a Join of which nothing was written.
func rolledBack(err error) error { return fmt.Errorf("%w: %w", ledger.ErrRolledBack, err) }
