package runtime

import (
	"context"
	"sync"
)

// flights are the claims of this guard whose bodies may be running. A claim is registered before it is made, so that
// nobody sees one of ours without it.
type flights struct {
	mu      sync.Mutex
	closing bool
	doubt   map[string]bool // by claim: whether it is in doubt already
	idle    chan struct{}   // closed when the last flight of a closing guard ends
}

func newFlights() *flights { return &flights{doubt: map[string]bool{}, idle: make(chan struct{})} }

// begin registers a claim; it is false when the guard takes no new ones.
func (f *flights) begin(claim string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closing {
		return false
	}
	f.doubt[claim] = false
	return true
}

// end says that nothing of the claim runs any more.
func (f *flights) end(claim string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.doubt, claim)
	f.settleIdle()
}

// settleIdle must be called with the lock held.
func (f *flights) settleIdle() {
	if !f.closing || len(f.doubt) > 0 {
		return
	}
	select {
	case <-f.idle:
	default:
		close(f.idle)
	}
}

// doubted says that the body of the claim runs on although its time is up.
func (f *flights) doubted(claim string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.doubt[claim]; ok {
		f.doubt[claim] = true
	}
}

// live tells whether the claim is being carried out, within its time.
func (f *flights) live(claim string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	doubted, ok := f.doubt[claim]
	return ok && !doubted
}

func (f *flights) isClosing() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closing
}

// drain refuses new claims and waits until none is left or ctx ends. It returns how many are left.
func (f *flights) drain(ctx context.Context) int {
	f.mu.Lock()
	f.closing = true
	f.settleIdle()
	f.mu.Unlock()
	select {
	case <-f.idle:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.doubt)
}
