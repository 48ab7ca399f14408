package runtime_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/ledgertest/faults"
)

// What is here is the small counterpart of package histories. There, everybody acts at once, and a checker tells whether
// any order explains it; the machine makes another interleaving each time, and a ledger fails seldom enough for things to
// get done. Here, one call follows another, so that a seed makes the same calls again, and a ledger fails at every third call.

// failsAtRandom is a ledger that fails at nearly every third call that reads or writes one change, before it does what it is
// asked or after.
func failsAtRandom(seed uint64) faults.Plan {
	random := faults.Seeded(seed,
		faults.Share{Of: 700, Fault: faults.Refuse(fmt.Errorf("test: %w", ledger.ErrBusy))},
		faults.Share{Of: 800, Fault: faults.Refuse(errLost)},
		faults.Share{Of: 1500, Fault: faults.Lose(errLost)},
	)
	return func(c faults.Call) faults.Fault {
		switch c.Method {
		case faults.Insert, faults.Swap, faults.Get:
			return random(c)
		}
		return faults.Fault{}
	}
}

// historyCalls is how many calls a history has, and guards on how many servers it is played.
const (
	histories    = 8
	historyCalls = 40
	guards       = 3
)

// Several servers share a ledger that fails at random, and agents call them in any order with every token they know.
// Whatever happens, no body runs twice, what was told is so, and what ran is known at the end.
func TestRandomHistoriesRunNoBodyTwice(t *testing.T) {
	t.Parallel()
	for seed := range uint64(histories) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			newHistory(t, seed).play(t)
		})
	}
}

// history is one run of random calls.
type history struct {
	random  *rand.Rand
	calls   int
	servers []*world
	stores  []*faults.Store
	values  int // that were asked for, each another one: a state never comes back by itself
	changes map[string]*told
	ids     []string
}

// told is what the agents know of a change.
type told struct {
	confirm, undo   string
	applied, undone int // how often it was told
}

func newHistory(t *testing.T, seed uint64, changes ...func(*world)) *history {
	t.Helper()
	h := &history{random: rand.New(rand.NewPCG(seed, 0)), calls: historyCalls, changes: map[string]*told{}}
	for n := range guards {
		h.servers = append(h.servers, newWorld(t, func(w *world) {
			if n > 0 {
				first := h.servers[0]
				w.store, w.target, w.operation = first.store, first.target, first.operation
			} else {
				for _, change := range changes {
					change(w)
				}
			}
			f := faults.New(w.store, failsAtRandom(seed*guards+uint64(n)))
			h.stores = append(h.stores, f)
			w.options.Store = f
		}))
	}
	return h
}

func (h *history) play(t *testing.T) {
	t.Helper()
	for range h.calls {
		w := h.servers[h.random.IntN(len(h.servers))]
		switch id, known := h.pick(); {
		case known == nil || h.random.IntN(4) == 0:
			h.values++
			r := w.call(t, "preview_set_setting", map[string]string{"key": "theme", "value": fmt.Sprint("dark ", h.values)})
			if r.Status == "preview" {
				h.learn(r.ChangeID, r.ConfirmationToken)
			}
		case known.undo != "" && h.random.IntN(2) == 0:
			if r := w.undo(t, id, known.undo); r.Status == "undone" {
				known.undone++
			}
		default:
			r := w.apply(t, id, known.confirm)
			if r.Status == "applied" {
				known.applied++
			}
			if r.UndoToken != "" {
				known.undo = r.UndoToken
			}
			if r.Retry.ConfirmationToken != "" {
				h.learn(r.Retry.ChangeID, r.Retry.ConfirmationToken)
			}
		}
	}
	h.check(t)
}

// learn keeps the token of a change; a new one takes the place of the one before.
func (h *history) learn(id, token string) {
	known, ok := h.changes[id]
	if !ok {
		known = &told{}
		h.changes[id] = known
		h.ids = append(h.ids, id)
	}
	known.confirm = token
}

// pick is any change that was previewed.
func (h *history) pick() (string, *told) {
	if len(h.ids) == 0 {
		return "", nil
	}
	id := h.ids[h.random.IntN(len(h.ids))]
	return id, h.changes[id]
}

// check lets the servers record what they still owe, and compares what was told, what ran, and what is known.
func (h *history) check(t *testing.T) {
	t.Helper()
	for _, f := range h.stores {
		f.Set(nil)
	}
	for n, id := range h.ids {
		h.servers[n%guards].status(t, id) // which looks at what is in doubt
	}
	for _, w := range h.servers {
		w.closes(t)
	}
	for id, known := range h.changes {
		applies, undos := h.servers[0].ran(t, id, "apply"), h.servers[0].ran(t, id, "undo")
		r := h.servers[0].record(t, id)
		if applies > 1 || undos > 1 || known.applied > 1 || known.undone > 1 {
			t.Errorf("%s: %d applies and %d undos ran, and %d and %d were told", id, applies, undos, known.applied, known.undone)
		}
		if known.applied > 0 && r.AppliedAt.IsZero() || known.undone > 0 && r.Status != ledger.Undone {
			t.Errorf("%s was told applied %d times and undone %d times, and is %s", id, known.applied, known.undone, r.Status)
		}
		if r.Status == ledger.Pending && applies > 0 || r.Status == ledger.Applied && applies != 1 || r.Status == ledger.Undone && undos != 1 {
			t.Errorf("%s is %s after %d applies and %d undos", id, r.Status, applies, undos)
		}
	}
}
