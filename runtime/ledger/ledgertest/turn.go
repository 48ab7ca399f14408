package ledgertest

import (
	"context"
	"testing"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

var turnTests = []conformance{
	{"AContextThatIsOverWritesNothing", aContextThatIsOverWritesNothing},
	{"LeavingTheQueueWritesNothing", leavingTheQueueWritesNothing},
	{"LeavingAfterTheTransactionBeganChangesNothing", leavingAfterTheTransactionBeganChangesNothing},
	{"ExpiryIsJudgedAfterTheWaitForATurn", expiryIsJudgedAfterTheWaitForATurn},
	{"AClosedStoreRefuses", aClosedStoreRefuses},
}

func aContextThatIsOverWritesNothing(t *testing.T, open Opener) {
	s := open(newClock().read)
	failsWith(t, "insert", s.Insert(cancelled(t), pending(1), previewed), context.Canceled)
	absent(t, s, id(1))
	r := insert(t, s, pending(2))
	before := look(t, s, r.ID)
	failsWith(t, "swap", s.Swap(cancelled(t), claim(r, "claim", "h"), time.Time{}, claimed), context.Canceled)
	equal(t, "the record and its events", look(t, s, r.ID), before)
}

// gate is a clock that stops the transaction that reads it, from when it is shut until it is opened.
type gate struct {
	*clock
	entered, opened chan struct{}
}

func newGate() *gate {
	return &gate{clock: newClock(), entered: make(chan struct{}), opened: make(chan struct{})}
}

func (g *gate) read() time.Time {
	select {
	case g.entered <- struct{}{}:
		<-g.opened
	case <-g.opened:
	}
	return g.clock.read()
}

// begin runs write in the background and returns once its transaction reads the clock.
func (g *gate) begin(write func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- write() }()
	<-g.entered
	return done
}

func leavingTheQueueWritesNothing(t *testing.T, open Opener) {
	g := newGate()
	s := open(g.read)
	first := g.begin(func() error { return s.Insert(t.Context(), pending(1), previewed) })
	ctx, leave := context.WithCancel(t.Context())
	second := make(chan error, 1)
	go func() { second <- s.Insert(ctx, pending(2), previewed) }()
	leave()
	failsWith(t, "the insert that left", <-second, context.Canceled)
	close(g.opened)
	if err := <-first; err != nil {
		t.Errorf("the insert that it waited for: %v", err)
	}
	get(t, s, id(1))
	absent(t, s, id(2))
}

func leavingAfterTheTransactionBeganChangesNothing(t *testing.T, open Opener) {
	g := newGate()
	s := open(g.read)
	ctx, leave := context.WithCancel(t.Context())
	done := g.begin(func() error { return s.Insert(ctx, pending(1), previewed) })
	leave()
	close(g.opened)
	if err := <-done; err != nil {
		t.Errorf("insert: %v, want its verdict", err)
	}
	get(t, s, id(1))
}

func expiryIsJudgedAfterTheWaitForATurn(t *testing.T, open Opener) {
	limit := noon.Add(time.Minute)
	now := newClock()
	r := insert(t, open(now.read), pending(1))
	g := newGate()
	s := open(g.read)
	first := g.begin(func() error { return s.Insert(t.Context(), pending(2), previewed) })
	second := make(chan error, 1)
	go func() { second <- s.Swap(t.Context(), claim(r, "claim", "h"), limit, claimed) }()
	g.set(limit)
	close(g.opened)
	if err := <-first; err != nil {
		t.Fatal(err)
	}
	failsWith(t, "the swap that waited past its limit", <-second, ledger.ErrExpired)
}

func aClosedStoreRefuses(t *testing.T, open Opener) {
	s := open(newClock().read)
	r := insert(t, s, pending(1))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	for name, call := range map[string]func() error{
		"insert": func() error { return s.Insert(t.Context(), pending(2), previewed) },
		"swap":   func() error { return s.Swap(t.Context(), claim(r, "claim", "h"), time.Time{}, claimed) },
		"get":    func() error { _, _, err := s.Get(t.Context(), r.ID); return err },
		"list":   func() error { _, err := s.List(t.Context(), ledger.Query{}); return err },
		"events": func() error { _, err := s.Events(t.Context(), r.ID); return err },
		"now":    func() error { _, err := s.Now(t.Context()); return err },
		"count":  func() error { _, err := s.Count(t.Context(), ledger.Query{}); return err },
		"prune":  func() error { _, err := s.Prune(t.Context(), ledger.Query{}, 1); return err },
		"key":    func() error { _, err := s.SensitiveKey(t.Context()); return err },
		"swap and insert": func() error {
			return s.SwapInsert(t.Context(), claim(r, "claim", "h"), claimed, plain(2), previewed)
		},
		"hold": func() error { _, err := s.Hold(t.Context()); return err },
	} {
		if call() == nil {
			t.Errorf("%s of a closed store succeeds", name)
		}
	}
	again := open(newClock().read)
	equal(t, "the record", get(t, again, r.ID), r)
	absent(t, again, id(2))
}
