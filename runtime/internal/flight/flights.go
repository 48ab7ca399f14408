// Package flight keeps count of the claims that one process carries out: which bodies may be running, and whose outcome is
// not recorded yet. The ledger says that a claim is in force, and only the process that made it can say more.
package flight

import (
	"context"
	"sync"
)

// Flights are the claims that may be carried out, or whose outcome is not recorded yet. A claim is registered before it is
// made, so that nobody sees one of ours without it. They are safe for concurrent use.
type Flights struct {
	mu      sync.Mutex
	claims  map[string]State
	closing chan struct{} // closed when no new ones are taken
	idle    chan struct{} // closed when the last flight ends after that
	spent   chan struct{} // closed when the time to wait for the last flight is over
}

// State is what is known of a claim.
type State struct {
	Live      bool   // it is being carried out now, within its time
	Known     string // how it ended, in words, although the ledger has not recorded that
	Forgotten bool   // it is no flight: whoever made it here does not know how it ended
}

// New is no flights.
func New() *Flights {
	return &Flights{
		claims:  map[string]State{},
		closing: make(chan struct{}), idle: make(chan struct{}), spent: make(chan struct{}),
	}
}

// Begin registers a claim; it is false when no new ones are taken.
func (f *Flights) Begin(claim string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.IsClosing() {
		return false
	}
	f.claims[claim] = State{Live: true}
	return true
}

// End says that nothing of the claim runs any more.
func (f *Flights) End(claim string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.claims, claim)
	f.settleIdle()
}

// settleIdle must be called with the lock held.
func (f *Flights) settleIdle() {
	if f.IsClosing() && len(f.claims) == 0 {
		closeOnce(f.idle)
	}
}

// Doubted says that the body of the claim runs on although its time is up.
func (f *Flights) Doubted(claim string) { f.Owe(claim, "") }

// Owe says what is known of a claim that the ledger has not recorded.
func (f *Flights) Owe(claim, known string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.claims[claim]; ok {
		f.claims[claim] = State{Known: known}
	}
}

// State of a claim; one that is none of them is forgotten.
func (f *Flights) State(claim string) State {
	f.mu.Lock()
	defer f.mu.Unlock()
	state, ok := f.claims[claim]
	state.Forgotten = !ok
	return state
}

// IsClosing tells whether no new claims are taken.
func (f *Flights) IsClosing() bool {
	select {
	case <-f.closing:
		return true
	default:
		return false
	}
}

// Closing is closed when no new claims are taken.
func (f *Flights) Closing() <-chan struct{} { return f.closing }

// Spent is closed when nobody waits for the last flight any more.
func (f *Flights) Spent() <-chan struct{} { return f.spent }

// Drain refuses new claims and waits until none is left or ctx ends. It returns how many are left. It may be called again.
func (f *Flights) Drain(ctx context.Context) int {
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
