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

// leavingTheQueueWritesNothing has many wait for a turn who all leave at once. Some leave before any write is over, and each is
// told what came of it.
func leavingTheQueueWritesNothing(t *testing.T, open Opener) {
	g, stores := newGate(t, open, 1)
	s := stores[0]
	first := g.begin(t, func() error { return s.Insert(t.Context(), plain(0), previewed) })
	ctx, leave := context.WithCancel(t.Context())
	var writes []write
	for n := range crowd {
		writes = append(writes, func(ctx context.Context) error { return s.Insert(ctx, plain(n+1), previewed) })
	}
	verdicts := press(t, ctx, writes)
	leave()
	gone := await(t, verdicts, "any of those that left the queue, while others write: a call that waits for its turn heeds its context")
	failsWith(t, "the first insert that left", gone.err, context.Canceled)
	g.open()
	if err := <-first; err != nil {
		t.Errorf("the insert that they waited for: %v", err)
	}
	get(t, s, id(0))
	said := map[int]error{gone.n: gone.err}
	for range crowd - 1 {
		v := await(t, verdicts, "an insert that left or had its turn")
		said[v.n] = v.err
	}
	insert(t, s, plain(crowd+1)) // behind whatever is still on its way
	for n, err := range said {
		if err == nil { // it had its turn before it could leave
			get(t, s, id(n+1))
			continue
		}
		failsWith(t, "an insert that left", err, context.Canceled)
		absent(t, s, id(n+1))
	}
}

func leavingAfterTheTransactionBeganChangesNothing(t *testing.T, open Opener) {
	g, stores := newGate(t, open, 1)
	ctx, leave := context.WithCancel(t.Context())
	done := g.begin(t, func() error { return stores[0].Insert(ctx, pending(1), previewed) })
	leave()
	g.open()
	if err := <-done; err != nil {
		t.Errorf("insert: %v, want its verdict", err)
	}
	get(t, stores[0], id(1))
}

func expiryIsJudgedAfterTheWaitForATurn(t *testing.T, open Opener) {
	limit := noon.Add(time.Minute)
	r := insert(t, open(newClock().read), pending(1))
	g, stores := newGate(t, open, 1)
	filled := g.fill(t, stores)
	late := press(t, t.Context(), []write{func(ctx context.Context) error {
		return stores[0].Swap(ctx, claim(r, "claim", "h"), limit, claimed)
	}})
	g.set(limit)
	g.open()
	filled()
	failsWith(t, "the swap that waited past its limit", await(t, late, "the swap that waited past its limit").err, ledger.ErrExpired)
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
