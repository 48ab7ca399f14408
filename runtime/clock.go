package runtime

import (
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// clock makes sure that nothing which was over comes back. It follows the ledger's clock, but never falls behind the
// newest time in the ledger, nor behind what it said before plus the time that has passed in this process since.
type clock struct {
	mu   sync.Mutex
	said time.Time // the latest time it gave
	at   time.Time // with a monotonic reading: when it gave it
}

// read is the moment that a reading of the ledger's clock stands for.
func (c *clock) read(l ledger.Clock) moment {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := latest(l.Now, l.Newest)
	here := time.Now()
	if !c.said.IsZero() {
		now = latest(now, c.said.Add(here.Sub(c.at)))
	}
	c.said, c.at = now, here
	return moment{now: now.UTC().Truncate(time.Millisecond), behind: now.Sub(l.Now)}
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
