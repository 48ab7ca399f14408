package histories_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// mortal is what dies at once: a process, or an operator's command. What it does to the ledger and to the target goes
// through it, and nothing does once it is dead.
type mortal struct {
	name     string
	using    sync.RWMutex    // read-locked by whatever is on its way to the ledger or the target
	death    context.Context // is over with it
	die      context.CancelFunc
	blind    atomic.Int64 // how often it could not see whether a holder was there
	mu       sync.Mutex
	random   *rand.Rand
	troubles *troubles
}

// troubles are what happens at the calls of a store, in so many of 10,000 calls. Its zero value does nothing.
type troubles struct {
	mu sync.Mutex
	shares
	lie func(next *ledger.Record, write func() error) error // nil: a store that keeps its promises
}

type shares struct{ dies, diesAfter, busy, lost, lostAfter int }

func (f *troubles) now() shares {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.shares
}

// rest ends the troubles, and leaves a store that lies as it is.
func (f *troubles) rest() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.shares = shares{}
}

// usual are the troubles of a history. A call takes about ten calls of the store.
var usual = shares{dies: 15, diesAfter: 15, busy: 60, lost: 40, lostAfter: 60}

func newMortal(name string, seed uint64, f *troubles) *mortal {
	m := &mortal{name: name, random: rand.New(rand.NewPCG(seed, 0)), troubles: f}
	m.death, m.die = context.WithCancel(context.Background())
	return m
}

func (m *mortal) upTo(n int) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.random.IntN(n)
}

// chance is true in so many of a hundred.
func (m *mortal) chance(percent int) bool { return m.upTo(100) < percent }

func (m *mortal) dead() bool { return m.death.Err() != nil }

func (m *mortal) kill() { m.die() }

// enter is false for the dead.
func (m *mortal) enter() bool {
	m.using.RLock()
	if m.dead() {
		m.using.RUnlock()
		return false
	}
	return true
}

func (m *mortal) leave() { m.using.RUnlock() }

// still waits until nothing of the dead is on its way.
func (m *mortal) still() {
	m.using.Lock()
	defer m.using.Unlock()
}

// mostMissed is how long an answer is waited for that does not come.
const mostMissed = 20 * time.Millisecond

var errLost = errors.New("the answer of the ledger was lost")
