package sqlite

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"
)

const (
	lockEnding = ".lock"
	// lockPollSoon is how often a process asks for the lock that another one holds: a part of a commit. After lockSoon, when
	// those who write in turn would have had theirs, it asks every lockPoll.
	lockPollSoon = 100 * time.Microsecond
	lockSoon     = 50 * time.Millisecond
	lockPoll     = time.Millisecond
	// lockSlice is how long a process may go on writing while another one waits. A process with a queue of writers leaves
	// the lock free for moments only, which one that polls may miss for seconds.
	lockSlice = 2 * time.Millisecond
	// lockTell is how often a process says that it waits, so that it is heard in each slice.
	lockTell = lockSlice / 2
	// lockOffer is how long the lock is left to another process before it is taken back.
	lockOffer = 2 * time.Millisecond
)

// turn is the lock between processes, which a writer takes once it has the slot of its process. The slot guards it.
type turn struct {
	ledger string // its path
	looks  bool   // no lock file is made: where there is none, no server has ever had the ledger open
	lock   *lockFile
	slice  time.Duration // lockSlice
	offers time.Duration // lockOffer
	since  time.Time     // when this process last came by the lock after another one could
	asked  time.Time     // the latest request of another process that was seen
}

// newTurn is the turn at the ledger at path.
func newTurn(path string, looks bool) turn {
	return turn{ledger: path, looks: looks, lock: newLockFile(path+lockEnding, accessOf(looks)), slice: lockSlice, offers: lockOffer}
}

// path is that of the file that is locked.
func (t *turn) path() string { return t.ledger + lockEnding }

// lockNow locks the file, if no other process has, and makes one if there is none. Who only looks goes without.
func (t *turn) lockNow() (locked bool, err error) {
	locked, err = t.lock.tryLock()
	switch {
	case !errors.Is(err, fs.ErrNotExist):
		return locked, err
	case t.looks:
		return true, nil
	}
	if err := makeBeside(t.ledger, t.path()); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	return t.lock.tryLock()
}

// take takes the lock between processes, or fails with the error of wait. Whoever waits for it says so in the only way
// that needs no lock and no file of its own: it sets the time of the lock file.
func (t *turn) take(wait context.Context) error {
	t.offer(wait)
	locked, err := t.lockNow()
	if locked || err != nil {
		return err
	}
	for began, told := time.Now(), (time.Time{}); ; {
		now := time.Now()
		if now.Sub(told) >= lockTell {
			told = now
			_ = os.Chtimes(t.path(), now, now) // without it, the lock is found free sooner or later
		}
		if err := pause(wait, pollAfter(now.Sub(began))); err != nil {
			return err
		}
		locked, err := t.lockNow()
		if locked {
			t.begin()
		}
		if locked || err != nil {
			return err
		}
	}
}

// pollAfter is how long to wait for the next look at a lock that has been waited for.
func pollAfter(waited time.Duration) time.Duration {
	if waited > lockSoon {
		return lockPoll
	}
	return lockPollSoon
}

// begin starts a slice. Whoever waits says so again soon; what was said before is over.
func (t *turn) begin() {
	t.since, t.asked = time.Now(), t.request()
}

// request is when a process last said that it waits; zero if that cannot be read.
func (t *turn) request() time.Time {
	info, err := os.Stat(t.path())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// leave gives the lock back.
func (t *turn) leave() { t.lock.unlock() }

// close is for who needs no turn any more.
func (t *turn) close() { t.lock.close() }

// offer leaves the lock to another process that waits for it, once this one has had it for its slice. Who has not had it
// yet has nothing to leave.
func (t *turn) offer(wait context.Context) {
	if t.since.IsZero() {
		t.begin()
	}
	if time.Since(t.since) < t.slice || t.request().Equal(t.asked) {
		return
	}
	began := time.Now()
	for range t.offers / lockPollSoon { // a clock that stands still, as in a test, must not make it wait for ever
		if time.Since(began) >= t.offers || pause(wait, lockPollSoon) != nil || t.taken() {
			break
		}
	}
	t.begin()
}

// taken tells whether another process holds the lock.
func (t *turn) taken() bool {
	free, err := t.lock.tryShare()
	if free {
		t.leave()
	}
	return err == nil && !free
}

// pause lasts until the next poll, or until wait is over.
func pause(wait context.Context, length time.Duration) error {
	if length < lockPoll { // the timers of the runtime are that coarse
		nap(length)
		return wait.Err()
	}
	select {
	case <-time.After(length):
		return nil
	case <-wait.Done():
		return wait.Err()
	}
}
