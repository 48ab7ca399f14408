package sqlite

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

// exclude waits until no other goroutine and no other process writes, and keeps them out until done is called. It fails
// with ErrBusy when wait is over for lack of patience, and with its error when the caller left before that.
func (s *Store) exclude(wait context.Context) (done func(), err error) {
	leave, err := s.queue.Alone(wait)
	if err != nil {
		return nil, s.unserved(wait, err)
	}
	if err := s.takeTurn(wait); err != nil {
		leave()
		return nil, err
	}
	return func() {
		s.turn.leave()
		leave()
	}, nil
}

// takeTurn takes the lock between processes. The caller has the slot of this one.
func (s *Store) takeTurn(wait context.Context) error {
	err := s.turn.take(wait)
	switch {
	case err == nil:
		return nil
	case wait.Err() != nil:
		return s.gaveUp(wait, "waiting for another process that writes")
	}
	return unavailable(s.path, "lock "+s.turn.path(), err)
}

// unserved gives an error of the queue the meaning it has for a ledger. Any other is that of the write itself.
func (s *Store) unserved(wait context.Context, err error) error {
	switch {
	case errors.Is(err, gather.ErrLeft):
		return s.gaveUp(wait, "waiting for another write of this process")
	case errors.Is(err, gather.ErrClosed):
		return s.errClosed()
	case errors.Is(err, gather.ErrAbandoned):
		return fmt.Errorf("%s: whether this was recorded is not known: %w; look with: changesetctl show", s.path, err)
	}
	return err
}

// gaveUp is the error of a wait that ended: ErrBusy for lack of patience, else that of the caller, which left. Nothing has
// been written.
func (s *Store) gaveUp(wait context.Context, while string) error {
	if errors.Is(wait.Err(), errImpatient) {
		return fmt.Errorf("%s: %w: gave up %s; try again", s.path, ledger.ErrBusy, while)
	}
	return fmt.Errorf("%s: left while %s: %w", s.path, while, wait.Err())
}

// transact runs body in a transaction of its own and commits it. Body is given the time, read once nothing has to be
// waited for any more, and is not cancelled with ctx. When body fails, nothing is written. When the commit fails, nobody
// knows, unless it fails for a constraint.
func (s *Store) transact(ctx context.Context, body func(ctx context.Context, at time.Time) error) error {
	wait := s.patience(ctx)
	defer wait.end()
	done, err := s.exclude(wait)
	if err != nil {
		return err
	}
	defer done()
	return s.inTransaction(wait, func(ctx context.Context) error { return body(ctx, s.now()) })
}

// inTransaction is transact for who has the turn already. A panic of body is passed on, and nothing is written.
func (s *Store) inTransaction(wait context.Context, body func(ctx context.Context) error) (err error) {
	known, err := s.verifyFiles(context.WithoutCancel(wait)) // what it finds is kept, and must be found as a whole
	if err != nil {
		return err
	}
	ctx := context.WithoutCancel(wait)
	s.watchLog(ctx, s.seen.log)
	if err := s.begin(wait); err != nil {
		return err
	}
	committed := false
	defer func() {
		if !committed {
			s.rollback(ctx)
		}
	}()
	if err := s.verifyAccount(ctx, known); err != nil {
		return err
	}
	if err := body(ctx); err != nil {
		return err
	}
	committed, err = s.commit(ctx)
	return err
}

// begin takes SQLite's write lock, which only programs other than this one can be holding. They are asked again and again:
// the engine by itself would sleep for longer than most of them write.
func (s *Store) begin(wait context.Context) error {
	ctx := context.WithoutCancel(wait)
	for {
		_, err := s.writer.begin.ExecContext(ctx)
		if err == nil {
			return nil
		}
		s.rollback(ctx) // what an earlier transaction could not end
		if err := s.explain("begin to write", err); !errors.Is(err, ledger.ErrBusy) {
			return err
		}
		if pause(wait, lockPoll) != nil {
			return s.gaveUp(wait, "waiting for another program that writes to the file")
		}
	}
}

// commit writes down what the ledger has taken with the transaction, and makes it durable. What wrote nothing is left to be
// rolled back, which costs no sync.
func (s *Store) commit(ctx context.Context) (committed bool, err error) {
	if s.writer.now.writes == s.seen.writes {
		return false, nil
	}
	if err := s.writeAccount(ctx); err != nil {
		return false, err
	}
	if _, err := s.writer.commit.ExecContext(ctx); err != nil {
		return false, s.uncommitted(err)
	}
	s.written()
	if size, _, err := sizeOf(s.path + logEnding); err == nil {
		s.watchLog(ctx, size)
	}
	return true, nil
}

// uncommitted is the error of a commit that failed. Before it writes, the engine looks whether what was left to it holds.
func (s *Store) uncommitted(err error) error {
	if codeOf(err) == codeConstraint {
		return fmt.Errorf("%s: nothing was written: %w: a row of some table refers to another one that would not be there", s.path, err)
	}
	return undecided(s.path, err)
}

// writeAccount writes down what the ledger has taken with the transaction that was begun.
func (s *Store) writeAccount(ctx context.Context) error {
	if _, err := s.writer.setAccount.ExecContext(ctx, accountFields(&s.writer.now)...); err != nil {
		return s.explain("account for a write", err)
	}
	return nil
}

// written notes that the transaction was committed.
func (s *Store) written() {
	s.seen.writes = s.writer.now.writes
	s.noteSettled()
	_ = s.mark.write(s.markInUse()) // without it, less is noticed later; the write is done either way
}

// rollback ends the transaction, if there is one: after most faults of the disk the engine has ended it already, and
// says so with an error. One that it could not end is found by the next begin.
func (s *Store) rollback(ctx context.Context) {
	clear(s.writer.counts) // may be of what is gone then
	_ = s.writer.exec(ctx, rollbackSQL)
}
