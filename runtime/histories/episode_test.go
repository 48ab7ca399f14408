package histories_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

const (
	patience    = 2 * time.Minute        // bounds every wait; it is no expectation
	requestPoll = 100 * time.Millisecond // how often a guard looks for undos that operators request

	seats         = 3 // servers at once
	agentsOfSeat  = 3
	operatorsTurn = 7   // of so many requests one is an operator's
	recentChanges = 5   // how far back the changes are that are asked about, on average
	colleagueTurn = 3   // of so many commands one is given by two people at once
	leavesTurn    = 300 // of so many requests one is followed by a server that is ended as it should be
	careless      = 4   // of so many requests one is made of any change, whether it has a chance or not
	lookedThrough = 30
	mostSteps     = 40 // after which nobody picks a change on purpose: the time of a check grows fast with its steps
	thingCount    = 60
	keptChanges   = 80 // by whoever clears away
	maxPending    = 150

	mostBack  = 5 * time.Minute // that the clock is ever set back
	ttl       = 15 * time.Minute
	undoTTL   = 40 * time.Minute
	limitOf   = 12 // changes of the limited operation in any limitPer
	limitPer  = 40 * time.Minute
	mostAhead = 15 * time.Minute // that the clock is ever set while a claim is on its way
)

// seat is where one server is, after every crash another process.
type seat struct {
	history *history
	name    string
	mu      sync.Mutex
	starts  int
	random  *rand.Rand
	process *process
}

// taken is the process that serves now.
func (s *seat) taken() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.process
}

// vacate buries a dead process, and starts another in its place. Whoever finds it dead waits until that is done.
func (s *seat) vacate(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process == p {
		p.bury()
		s.occupy()
	}
}

// leave has a process end as it should, and starts another in its place. What it is asked meanwhile it does not begin.
func (s *seat) leave(p *process) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != p || p.dead() {
		return
	}
	alive, cancel := context.WithCancel(context.Background())
	defer cancel()
	context.AfterFunc(p.death, func() { time.AfterFunc(time.Millisecond, cancel) }) // Close waits for long if it is over before
	err := p.close(alive)
	switch {
	case p.dead():
		p.bury()
	case err != nil:
		s.history.fault("close %s: %v", p.name, err)
	default:
		p.left()
	}
	s.occupy()
}

// occupy starts processes until one lives. The lock is held.
func (s *seat) occupy() {
	for {
		s.starts++
		p, err := startProcess(s.history, fmt.Sprintf("%s.%d", s.name, s.starts), s.random.Uint64())
		switch {
		case err == nil:
			s.process = p
			return
		case !passing(err):
			panic(fmt.Sprintf("%s.%d does not start: %v", s.name, s.starts, err))
		}
	}
}

// play plays one episode over a ledger, of at least so many requests, and gives its history with what is wrong about it.
func play(over opener, seed uint64, requests int, f *troubles) (*history, error) {
	h := newHistory(over, f)
	store, err := h.open()
	if err != nil {
		return nil, err
	}
	defer store.Close()
	h.run(store, seed, requests)
	return h, h.read(context.Background(), store)
}

// run has everybody act until there are so many requests, and ends the servers then.
func (h *history) run(store book, seed uint64, requests int) {
	random := rand.New(rand.NewPCG(seed, 1))
	own := func() *rand.Rand { return rand.New(rand.NewPCG(random.Uint64(), random.Uint64())) }
	w := &world{random: own(), history: h}
	var acting sync.WaitGroup
	var taken []*seat
	for n := range seats {
		s := &seat{history: h, name: fmt.Sprint("server ", n), random: own()}
		s.occupy()
		taken = append(taken, s)
		for m := range agentsOfSeat {
			a := &agent{name: fmt.Sprintf("agent %d.%d", n, m), seat: s, random: own(), history: h}
			o := &operator{name: fmt.Sprintf("operator %d.%d", n, m), ledger: store, random: own(), history: h}
			acting.Go(func() { h.act(requests, a, o, w) })
		}
	}
	acting.Wait()
	h.troubles.rest()
	for _, s := range taken {
		if s.process.dead() {
			s.process.bury()
		} else {
			s.process.end()
		}
	}
}

// act has an agent, and now and then the operator beside it, make one request after the other.
func (h *history) act(requests int, a *agent, o *operator, w *world) {
	for h.count() < requests {
		if a.random.IntN(operatorsTurn) == 0 {
			o.act()
		} else {
			a.act()
		}
		w.turn()
	}
}

// world is what guards do not know of: the time, and those who change things by themselves.
type world struct {
	*history
	mu     sync.Mutex
	random *rand.Rand
	turns  int
	back   time.Duration // how far the clock is set back
}

// worldTurn is after how many requests something happens.
const worldTurn = 20

// turn has something happen when it is time for it.
func (w *world) turn() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.count() < w.turns*worldTurn {
		return
	}
	w.turns++
	switch chance := w.random.IntN(100); {
	case chance < 60:
		w.target.edit(keyOf(w.random.IntN(thingCount)), w.stamp())
	case chance < 75:
		w.clock.set(time.Duration(w.random.IntN(60)) * time.Second)
	case chance < 80:
		w.clock.set(ttl / 2)
	case w.back > mostBack/2:
		w.clock.set(w.back)
		w.back = 0
	case chance < 90: // as a clock may be set back
		w.setBack(time.Duration(w.random.IntN(40)) * time.Second)
	case chance < 92: // further than any may
		w.setBack(2 * time.Minute)
	default:
		w.clock.set(w.back)
		w.back = 0
	}
}

func (w *world) setBack(by time.Duration) {
	w.clock.set(-by)
	w.back += by
}
