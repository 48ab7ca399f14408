package runtime_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// leasing is a ledger that may come to take a holder for gone although its process lives.
type leasing struct {
	ledger.Store
	mu     sync.Mutex
	holds  []*leased // in the order in which they were taken
	there  map[string]ledger.Liveness
	refuse error         // why no hold can be taken; nil: one can
	keep   chan struct{} // until it is closed no hold is given back; nil: each is
	asked  int           // how often a hold was asked for
	asking bell          // rung then
}

// leased is a hold of a leasing ledger.
type leased struct {
	ledger.Hold
	keep     <-chan struct{}
	lost     chan struct{}
	released chan struct{}
}

// newLeasingWorld is a world over a leasing ledger.
func newLeasingWorld(t *testing.T, changes ...func(*world)) (*world, *leasing) {
	t.Helper()
	l := &leasing{there: map[string]ledger.Liveness{}, asking: make(bell, 1)}
	w := newWorld(t, append([]func(*world){listening, func(w *world) {
		l.Store = w.store
		w.options.Store = l
	}}, changes...)...)
	return w, l
}

// beside is another guard over the same leasing ledger and target, as on another host.
func (l *leasing) beside(t *testing.T, w *world, changes ...func(*world)) *world {
	t.Helper()
	return w.beside(t, append(changes, func(o *world) { o.options.Store = l })...)
}

func (l *leasing) Hold(ctx context.Context) (ledger.Hold, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	l.asking.ring()
	if l.refuse != nil {
		return nil, l.refuse
	}
	hold, err := l.Store.Hold(ctx)
	if err != nil {
		return nil, err
	}
	h := &leased{Hold: hold, keep: l.keep, lost: make(chan struct{}), released: make(chan struct{})}
	l.holds = append(l.holds, h)
	return h, nil
}

func (h *leased) Lost() <-chan struct{} { return h.lost }

func (h *leased) Release() error {
	if h.keep != nil {
		<-h.keep
	}
	err := h.Hold.Release()
	if err == nil && !h.isReleased() {
		close(h.released)
	}
	return err
}

func (h *leased) isReleased() bool {
	select {
	case <-h.released:
		return true
	default:
		return false
	}
}

func (l *leasing) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	l.mu.Lock()
	there, set := l.there[name]
	l.mu.Unlock()
	if set {
		return there, nil
	}
	return l.Store.Holder(ctx, name)
}

// Swap refuses a claim whose holder is taken for gone.
func (l *leasing) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	l.mu.Lock()
	there := l.there[r.Holder]
	l.mu.Unlock()
	claims := e.From != e.To && slices.Contains([]ledger.Status{ledger.Applying, ledger.Undoing}, e.To)
	if claims && there == ledger.Gone {
		return ledger.ErrHoldOver
	}
	return l.Store.Swap(ctx, r, notAfter, e, caps...)
}

// timesAsked tells how often a hold was asked for.
func (l *leasing) timesAsked() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asked
}

// hold is the one that was taken as the n-th.
func (l *leasing) hold(n int) *leased {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds[n]
}

// lose lets the holder know that it may soon be taken for gone.
func (l *leasing) lose(n int) { close(l.hold(n).lost) }

// seen is what everybody is told of a holder from now on.
func (l *leasing) seen(n int, there ledger.Liveness) {
	name := l.hold(n).Name()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.there[name] = there
}

// refusing lets nobody take another hold; nil ends that.
func (l *leasing) refusing(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuse = err
}
