package ledgertest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// crowd is how many callers are taken to be more than a store has write at the same time.
const crowd = 48

// longest is how long anything is waited for, at most.
var longest = time.Minute

// telling is the time that is left to say what did not come.
const telling = time.Second

// patience is over when what is waited for will never come. It is no expectation.
func patience(t *testing.T) <-chan time.Time {
	wait := longest
	if end, ok := t.Deadline(); ok {
		wait = min(wait, time.Until(end)-telling)
	}
	if wait < 0 {
		t.Fatal("the tests have no time left: mend what failed before and took it, or give them more with -timeout")
	}
	return time.After(wait)
}

// gate is a clock that stops the transactions that read it, from when it is shut until it is opened.
type gate struct {
	*clock
	entered chan struct{} // receives one for each transaction that is stopped
	mu      sync.Mutex
	opened  chan struct{} // nil: it was never shut
	once    sync.Once
}

// newGate gives a shut gate, and stores that read their time from it.
func newGate(t *testing.T, open Opener, stores int) (*gate, []ledger.Store) {
	g := &gate{clock: newClock(), entered: make(chan struct{})}
	var opened []ledger.Store
	for range stores {
		opened = append(opened, open(g.read))
	}
	t.Cleanup(g.open) // before the stores are closed, which wait for their writes
	g.mu.Lock()
	defer g.mu.Unlock()
	g.opened = make(chan struct{})
	return g, opened
}

func (g *gate) read() time.Time {
	g.mu.Lock()
	opened := g.opened
	g.mu.Unlock()
	if opened != nil {
		select {
		case g.entered <- struct{}{}:
			<-opened
		case <-opened:
		}
	}
	return g.clock.read()
}

// open lets go whoever is stopped, and stops nobody any more.
func (g *gate) open() { g.once.Do(func() { close(g.opened) }) }

// verdict is what the n-th of several writes came to.
type verdict struct {
	n   int
	err error
}

// begin runs write in the background and returns once its transaction reads the clock.
func (g *gate) begin(t *testing.T, write func() error) <-chan error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- write() }()
	select {
	case <-g.entered:
	case err := <-done:
		t.Fatalf("a write ended with %v and never read the clock: a store reads its time from the clock of its Opener, in the transaction", err)
	case <-patience(t):
		t.Fatal("a write does not read the clock: a store reads its time from the clock of its Opener, in the transaction")
	}
	return done
}

// press runs writes in the background, each with a context made of ctx, and returns once each of them has come to where
// its store looks at its context. So those wait that find no turn.
func press(t *testing.T, ctx context.Context, writes []write) <-chan verdict {
	t.Helper()
	verdicts, inside := make(chan verdict, len(writes)), make(chan struct{}, len(writes))
	for n, w := range writes {
		watched := &watched{Context: ctx, looked: func() { inside <- struct{}{} }}
		go func() {
			err := w(watched)
			watched.look()
			verdicts <- verdict{n, err}
		}()
	}
	for n := range writes {
		select {
		case <-inside:
		case <-patience(t):
			t.Fatalf("%d of %d writes have not looked at their context: it must be heeded while a call waits", len(writes)-n, len(writes))
		}
	}
	return verdicts
}

// write is a call of a store.
type write func(ctx context.Context) error

// watched is a context that tells when somebody looks at it.
type watched struct {
	context.Context
	once   sync.Once
	looked func()
}

func (w *watched) look() { w.once.Do(w.looked) }

func (w *watched) Done() <-chan struct{} {
	w.look()
	return w.Context.Done()
}

func (w *watched) Err() error {
	w.look()
	return w.Context.Err()
}

// await gives the next verdict.
func await(t *testing.T, verdicts <-chan verdict, what string) verdict {
	t.Helper()
	select {
	case v := <-verdicts:
		return v
	case <-patience(t):
		t.Fatalf("no answer of %s", what)
		panic("unreachable")
	}
}

// filler is the number of the first change that only keeps a store busy.
const filler = 1 << 20

// fill has a store insert a change that reads the clock of a shut gate, and as many others as keep all of its turns taken
// and others waiting. It gives a function that waits for them once the gate is open.
func (g *gate) fill(t *testing.T, stores []ledger.Store) (filled func()) {
	t.Helper()
	first := g.begin(t, func() error { return stores[0].Insert(t.Context(), plain(filler), previewed) })
	var writes []write
	for n := range crowd {
		s := stores[n%len(stores)]
		writes = append(writes, func(ctx context.Context) error { return s.Insert(ctx, plain(filler+1+n), previewed) })
	}
	verdicts := press(t, t.Context(), writes)
	return func() {
		t.Helper()
		if err := <-first; err != nil {
			t.Errorf("the insert at the gate: %v", err)
		}
		for range writes {
			if v := await(t, verdicts, "an insert that waited"); v.err != nil {
				t.Errorf("an insert that waited: %v", v.err)
			}
		}
	}
}

// atOnce has all writes wait at stores that are busy, and gives their verdicts once they were let go.
func (g *gate) atOnce(t *testing.T, stores []ledger.Store, writes []storeWrite) []error {
	t.Helper()
	filled := g.fill(t, stores)
	var calls []write
	for n, w := range writes {
		calls = append(calls, func(ctx context.Context) error { return w(ctx, stores[n%len(stores)]) })
	}
	verdicts := press(t, t.Context(), calls)
	g.open()
	filled()
	all := make([]error, len(writes))
	for range writes {
		v := await(t, verdicts, "a write that waited with others")
		all[v.n] = v.err
	}
	return all
}
