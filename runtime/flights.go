package runtime

import (
	"context"
	"sync"
)

// flights are the claims of this guard whose bodies may be running, or whose outcome is not recorded yet. A claim is
// registered before it is made, so that nobody sees one of ours without it.
type flights struct {
	mu      sync.Mutex
	claims  map[string]claimState
	closing chan struct{} // closed when no new ones are taken
	idle    chan struct{} // closed when the last flight of a closing guard ends
	spent   chan struct{} // closed when the time to wait for the last flight is over
}

// claimState is what is known of a claim in force.
type claimState struct {
	live  bool   // it is being carried out now, within its time
	known string // how it ended, in words, although the ledger has not recorded that
	over  bool   // whoever made it is gone, or does not know either how it ended: a look runs ahead of nobody
	// forgotten tells that this guard made it, carries it out no more, and does not know how it ended.
	forgotten bool
}

func newFlights() *flights {
	return &flights{
		claims:  map[string]claimState{},
		closing: make(chan struct{}), idle: make(chan struct{}), spent: make(chan struct{}),
	}
}

// begin registers a claim; it is false when the guard takes no new ones.
func (f *flights) begin(claim string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isClosing() {
		return false
	}
	f.claims[claim] = claimState{live: true}
	return true
}

// end says that nothing of the claim runs any more.
func (f *flights) end(claim string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claims, claim)
	f.settleIdle()
}

// settleIdle must be called with the lock held.
func (f *flights) settleIdle() {
	if f.isClosing() && len(f.claims) == 0 {
		closeOnce(f.idle)
	}
}

// doubted says that the body of the claim runs on although its time is up.
func (f *flights) doubted(claim string) { f.owe(claim, "") }

// owe says what is known of a claim that the ledger has not recorded.
func (f *flights) owe(claim, known string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.claims[claim]; ok {
		f.claims[claim] = claimState{known: known}
	}
}

// state of a claim; one that is none of them is forgotten.
func (f *flights) state(claim string) claimState {
	f.mu.Lock()
	defer f.mu.Unlock()
	state, ok := f.claims[claim]
	state.forgotten = !ok
	return state
}

func (f *flights) isClosing() bool {
	select {
	case <-f.closing:
		return true
	default:
		return false
	}
}

// drain refuses new claims and waits until none is left or ctx ends. It returns how many are left.
func (f *flights) drain(ctx context.Context) int {
	f.mu.Lock()
	closeOnce(f.closing)
	f.settleIdle()
	f.mu.Unlock()
	select {
	case <-f.idle:
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	closeOnce(f.spent)
	return len(f.claims)
}

// closeOnce must be called with the lock held.
func closeOnce(c chan struct{}) {
	select {
	case <-c:
	default:
		close(c)
	}
}
