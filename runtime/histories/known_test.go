package histories_test

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"time"
)

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

// sameAs names the changes that a no to one of them is remembered for.
func (k *known) sameAs() string { return k.operation + " " + hashOf(&k.payload) }

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
			if k := h.known[n]; suits(k) && len(h.steps[k.id]) < mostSteps {
				picked = n
				break
			}
		}
	}
	k := *h.known[picked]
	k.confirm, k.undo = slices.Clone(k.confirm), slices.Clone(k.undo)
	return &k
}
