package histories_test

import (
	"sync"
	"time"
)

// clock is that of the ledger. It runs, and is set.
type clock struct {
	mu            sync.Mutex
	offset, ahead time.Duration // now, and at most until now
}

func (c *clock) read() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.offset)
}

// latest is as late as any reading until now can have been.
func (c *clock) latest() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

func (c *clock) set(by time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.offset += by
	c.ahead = max(c.ahead, c.offset)
}
