package histories_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// history is what happened in one episode, as those outside saw it. It is safe for concurrent use.
type history struct {
	directory string
	target    *target
	faults    *faults
	clock     *clock
	ticks     atomic.Int64 // its own time: no two readings are the same
	stamps    atomic.Int64
	tally     *tally

	mu           sync.Mutex
	calls        int // requests that were made
	deaths       int
	steps        map[string][]*step // by change
	lost         []*step            // previews with a request id of which nobody knows what they came to
	previewsLost int                // those without one as well
	graves       []*step            // ends of processes
	known        []*known           // changes that agents know, oldest first
	byID         map[string]*known
	rejects      map[string][]*step // by operation and payload: changes that a person may have said no to
	payloads     map[string]string  // change: the hash of what ran
	prunedAt     int64              // when somebody first began to clear away; 0: nobody
	problems     []string
}

// known is what agents know of a change.
type known struct {
	id, operation, request string
	payload                payload
	hash                   string
	confirm, undo          []string // tokens, the last the one that was told last
	needsYes               bool
	asked                  bool      // for its undo
	over                   bool      // it is where it ends
	twin                   string    // another one of the same payload; "" for none
	barred                 bool      // somebody said no to its twin
	retryOf                string    // a change that it tries again, or one that tries that; "" for none
	bornAt                 time.Time // by the ledger's clock, or earlier
}

func newHistory(directory string, f *faults) *history {
	return &history{
		directory: directory, target: newTarget(), faults: f, clock: &clock{}, tally: newTally(),
		steps: map[string][]*step{}, byID: map[string]*known{}, rejects: map[string][]*step{}, payloads: map[string]string{},
	}
}

func (h *history) now() int64 { return h.ticks.Add(1) }

// stamp is one that nothing had.
func (h *history) stamp() string { return fmt.Sprint("edit ", h.stamps.Add(1)) }

// fault is something that must not be, besides what the histories tell.
func (h *history) fault(format string, values ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.problems = append(h.problems, fmt.Sprintf(format, values...))
}

// add takes a step that is over.
func (h *history) add(x *step) {
	h.returned(x)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.steps[x.change] = append(h.steps[x.change], x)
}

// returned stamps a step that is over, unless it was over before.
func (h *history) returned(x *step) {
	if x.returned == 0 {
		x.returned = h.now()
	}
	if x.by.IsZero() {
		x.by = h.clock.latest()
	}
}

// addLost takes a preview of which nobody knows what it came to. What it was for is known by its request id alone.
func (h *history) addLost(x *step) {
	h.returned(x)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.previewsLost++; x.token != "" {
		h.lost = append(h.lost, x)
	}
}

// buried notes that a process has ended, since a time.
func (h *history) buried(name string, since int64) {
	x := &step{kind: crashed, what: name + " is gone", process: name, called: since}
	h.returned(x)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deaths++
	h.graves = append(h.graves, x)
}

// died notes that a command ended before its time. What it may have begun is known by its claims, of which it has none.
func (h *history) died() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.deaths++
}

func (h *history) ranPayload(change, hash string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if other, ok := h.payloads[change]; ok && other != hash {
		h.problems = append(h.problems, fmt.Sprintf("%s ran with two payloads", change))
	}
	h.payloads[change] = hash
}

// call counts a request.
func (h *history) call() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.calls++
	return h.calls
}

func (h *history) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls
}

// learn notes a change that an agent was told of, or a new token of it.
func (h *history) learn(k known) {
	h.mu.Lock()
	defer h.mu.Unlock()
	old, ok := h.byID[k.id]
	if !ok {
		h.byID[k.id] = &k
		h.known = append(h.known, &k)
		return
	}
	old.confirm, old.undo = append(old.confirm, k.confirm...), append(old.undo, k.undo...)
	old.needsYes, old.asked = old.needsYes || k.needsYes, old.asked || k.asked
	old.over, old.barred = old.over || k.over, old.barred || k.barred
	old.twin = cmp.Or(k.twin, old.twin)
}

// Which changes there is something to be had of: to apply, to undo, to decide on, and to decide on an undo of.
func anything(*known) bool          { return true }
func (k *known) waits() bool        { return len(k.undo) == 0 && !k.over }
func (k *known) stands() bool       { return len(k.undo) > 0 && !k.over }
func (k *known) needsWord() bool    { return k.needsYes && k.waits() }
func (k *known) isOneOfTwins() bool { return k.twin != "" && k.waits() }
func (k *known) isBarred() bool     { return k.barred && k.waits() }
func (k *known) asksForUndo() bool  { return k.asked && !k.over }

// knows tells whether agents know any change.
func (h *history) knows() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.known) > 0
}

// pick gives a copy of what is known of a change, mostly of a late one and of one that suits; nil if there is none.
func (h *history) pick(random *rand.Rand, suits func(*known) bool) *known {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.known) == 0 {
		return nil
	}
	back := int(random.ExpFloat64() * recentChanges)
	picked := max(0, len(h.known)-1-back)
	if random.IntN(careless) > 0 {
		for n := picked; n >= 0 && n > picked-lookedThrough; n-- {
			if suits(h.known[n]) {
				picked = n
				break
			}
		}
	}
	k := *h.known[picked]
	k.confirm, k.undo = slices.Clone(k.confirm), slices.Clone(k.undo)
	return &k
}

// rejecting notes that a person begins to say no to a change of that payload.
func (h *history) rejecting(k *known, x *step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rejects[k.sameAs()] = append(h.rejects[k.sameAs()], x)
}

// sameAs names the changes that a no to one of them is remembered for.
func (k *known) sameAs() string { return k.operation + " " + hashOf(&k.payload) }

func (h *history) pruning() {
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.prunedAt == 0 {
		h.prunedAt = now
	}
}

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
