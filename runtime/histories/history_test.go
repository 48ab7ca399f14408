package histories_test

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// history is what happened in one episode, as those outside saw it. It is safe for concurrent use.
type history struct {
	ledger   opener
	target   *target
	troubles *troubles
	clock    *clock
	ticks    atomic.Int64 // its own time: no two readings are the same
	stamps   atomic.Int64
	tally    *tally

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

func newHistory(ledger opener, f *troubles) *history {
	return &history{
		ledger: ledger, target: newTarget(), troubles: f, clock: &clock{}, tally: newTally(),
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

// rejecting notes that a person begins to say no to a change of that payload.
func (h *history) rejecting(k *known, x *step) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rejects[k.sameAs()] = append(h.rejects[k.sameAs()], x)
}

func (h *history) pruning() {
	now := h.now()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.prunedAt == 0 {
		h.prunedAt = now
	}
}
