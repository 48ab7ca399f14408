package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

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

// turn is the lock between processes, which a writer takes once it has the slot of its process. The slot guards it.
type turn struct {
	ledger string // its path
	looks  bool   // no lock file is made: where there is none, no server has ever had the ledger open
	lock   *flock.Flock
	slice  time.Duration
	since  time.Time // when this process last came by the lock after another one could
	asked  time.Time // the latest request of another process that was seen
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
