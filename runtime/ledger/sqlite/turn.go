package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/gofrs/flock"
)

const (
	lockEnding = ".lock"
	// lockPoll is how often a process asks for the lock that another one holds: a few times the length of a commit.
	lockPoll = time.Millisecond
	// lockSlice is how long a process may go on writing while another one waits. A process with a queue of writers leaves
	// the lock free for moments only, which one that polls may miss for seconds.
	lockSlice = 50 * time.Millisecond
	// lockOffers is how many polls long the lock is left to another process before it is taken back.
	lockOffers = 20
)

// turn is what a writer has to hold: first the queue of its process, then the lock between processes.
type turn struct {
	ledger string // its path
	looks  bool   // no lock file is made: where there is none, no server has ever had the ledger open
	// queue has room for the one that writes. Those who wait for it are let in in the order they came. It guards the rest.
	queue chan struct{}
	lock  *flock.Flock
	slice time.Duration
	since time.Time // when this process last came by the lock after another one could
	asked time.Time // the latest request of another process that was seen
}

// newTurn is the turn at a ledger. Who only looks may have to do so on a disk that is read-only.
func newTurn(path string, looks bool) turn {
	access := os.O_RDWR
	if looks {
		access = os.O_RDONLY
	}
	return turn{
		ledger: path,
		looks:  looks,
		queue:  make(chan struct{}, 1),
		lock:   flock.New(path+lockEnding, flock.SetFlag(access)),
		slice:  lockSlice,
	}
}

// makeLock makes the lock file of the ledger at path, if there is none.
func makeLock(path string) error {
	file := path + lockEnding
	if _, exists, err := sizeOf(file); err != nil || exists {
		return err
	}
	if err := makeBeside(path, file); !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// take takes the lock between processes, or fails with the error of wait. Whoever waits for it says so in the only way
// that needs no lock and no file of its own: it sets the time of the lock file.
func (t *turn) take(wait context.Context) error {
	if t.looks {
		if _, exists, err := sizeOf(t.lock.Path()); err != nil || !exists {
			return err
		}
	} else if err := makeLock(t.ledger); err != nil {
		return err
	}
	t.offer(wait)
	locked, err := t.lock.TryLock()
	if locked || err != nil {
		return err
	}
	for {
		now := time.Now()
		_ = os.Chtimes(t.lock.Path(), now, now) // without it, the lock is found free sooner or later
		if err := pause(wait); err != nil {
			return err
		}
		locked, err := t.lock.TryLock()
		if locked {
			t.begin()
		}
		if locked || err != nil {
			return err
		}
	}
}

// begin starts a slice. Whoever waits says so again at its next poll; what was said before is over.
func (t *turn) begin() {
	t.since, t.asked = time.Now(), t.request()
}

// request is when a process last said that it waits; zero if that cannot be read.
func (t *turn) request() time.Time {
	info, err := os.Stat(t.lock.Path())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// leave gives the lock back.
func (t *turn) leave() { _ = t.lock.Unlock() } // fails only for a lock that is not held

// offer leaves the lock to another process that waits for it, once this one has had it for its slice. Who has not had it
// yet has nothing to leave.
func (t *turn) offer(wait context.Context) {
	if t.since.IsZero() {
		t.begin()
	}
	if time.Since(t.since) < t.slice || t.request().Equal(t.asked) {
		return
	}
	for range lockOffers {
		if pause(wait) != nil || t.taken() {
			break
		}
	}
	t.begin()
}

// taken tells whether another process holds the lock.
func (t *turn) taken() bool {
	free, err := t.lock.TryRLock()
	if free {
		t.leave()
	}
	return err == nil && !free
}

// pause lasts until the next poll, or until wait is over.
func pause(wait context.Context) error {
	select {
	case <-time.After(lockPoll):
		return nil
	case <-wait.Done():
		return wait.Err()
	}
}

// patience is ctx, ended by the busy timeout.
func (s *Store) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, s.busyTimeout)
}

// exclude waits until no other goroutine and no other process writes, and keeps them out until done is called. It fails
// with ErrBusy when wait, which is made of ctx, is over, and with the error of ctx when that is over first.
func (s *Store) exclude(ctx, wait context.Context) (done func(), err error) {
	select {
	case s.turn.queue <- struct{}{}:
	case <-s.closed:
		return nil, s.errClosed()
	case <-wait.Done():
		return nil, s.gaveUp(ctx, "waiting for another write of this process")
	}
	err = s.turn.take(wait)
	if err == nil {
		return func() {
			s.turn.leave()
			<-s.turn.queue
		}, nil
	}
	<-s.turn.queue
	if wait.Err() != nil {
		return nil, s.gaveUp(ctx, "waiting for another process that writes")
	}
	return nil, unavailable(s.path, "lock "+s.turn.lock.Path(), err)
}

// gaveUp is the error of a wait that ended: that of the caller if it left, else ErrBusy. Nothing has been written.
func (s *Store) gaveUp(ctx context.Context, while string) error {
	cause := ctx.Err()
	if cause == nil {
		return fmt.Errorf("%s: %w: gave up %s; try again", s.path, ledger.ErrBusy, while)
	}
	return fmt.Errorf("%s: left while %s: %w", s.path, while, cause)
}

// transact runs body in a transaction of its own and commits it. Body is given the time, read once nothing has to be
// waited for any more, and is not cancelled with ctx. When body fails, nothing is written. When the commit fails, nobody
// knows.
func (s *Store) transact(ctx context.Context, body func(ctx context.Context, at time.Time) error) error {
	wait, cancel := s.patience(ctx)
	defer cancel()
	done, err := s.exclude(ctx, wait)
	if err != nil {
		return err
	}
	defer done()
	known, err := s.verifyFiles(context.WithoutCancel(ctx)) // what it finds is kept, and must be found as a whole
	if err != nil {
		return err
	}
	if err := s.begin(ctx, wait); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx)
	if err = s.verifyAccount(ctx, known); err == nil {
		err = body(ctx, s.now())
	}
	if err != nil {
		s.rollback(ctx)
		return err
	}
	if err := s.writer.exec(ctx, commitSQL); err != nil {
		s.rollback(ctx)
		return undecided(s.path, err)
	}
	s.seen.writes = s.writer.now.writes
	_ = s.markInUse().raise(s.path) // without it, less is noticed later; the write is done either way
	return nil
}

// begin takes SQLite's write lock, which only programs other than this one can be holding.
func (s *Store) begin(ctx, wait context.Context) error {
	err := s.writer.exec(wait, beginSQL)
	if err == nil {
		return nil
	}
	// The driver answers a cancelled BEGIN with an error even if it was done.
	s.rollback(context.WithoutCancel(ctx))
	if wait.Err() != nil {
		return s.gaveUp(ctx, "waiting for another program that writes to the file")
	}
	return s.explain("begin to write", err)
}

// rollback ends the transaction, if there is one: after most faults of the disk the engine has ended it already, and
// says so with an error. One that it could not end is found by the next begin.
func (s *Store) rollback(ctx context.Context) {
	_ = s.writer.exec(ctx, rollbackSQL)
}
