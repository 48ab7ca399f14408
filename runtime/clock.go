package runtime

import (
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// clock makes sure that nothing which was over comes back. It follows the ledger's clock, but never falls behind the
// newest time in the ledger, nor behind what it said before, nor behind an earlier reading of the ledger's clock plus
// the time that has passed in this process since. A newest time that lies ahead does not run on: it waits for the
// ledger's clock to catch up, which ends the trouble that one wrong time made.
type clock struct {
	mu   sync.Mutex
	said time.Time // the latest time it gave
	ran  time.Time // how far the ledger's clock has come
	at   time.Time // with a monotonic reading: when it had
}

// read is the moment that a reading of the ledger's clock stands for.
func (c *clock) read(l ledger.Clock) moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	here, ran := time.Now(), l.Now
	if !c.ran.IsZero() {
		ran = latest(ran, c.ran.Add(here.Sub(c.at)))
	}
	now := latest(latest(ran, l.Newest), c.said)
	c.said, c.ran, c.at = now, ran, here
	return moment{now: now.UTC().Truncate(time.Millisecond), behind: now.Sub(l.Now)}
}

// now is the ledger's time as far as this process knows it without asking: the last reading, and what has passed since.
// Before the first reading it is this machine's.
func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	here, ran := time.Now(), c.ran
	if c.ran.IsZero() {
		ran = here
	} else {
		ran = ran.Add(here.Sub(c.at))
	}
	return latest(ran, c.said).UTC().Truncate(time.Millisecond)
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
