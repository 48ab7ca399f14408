package faults

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Store is a ledger whose calls go wrong as planned. It is safe for concurrent use if the ledger below is.
type Store struct {
	below ledger.Store
	holds holds

	mu       sync.Mutex
	plan     Plan
	calls    int
	of       map[Method]int
	injected []Injection
}

var _ ledger.Store = (*Store)(nil)

// New gives a Store over a ledger. A nil plan has no faults.
func New(below ledger.Store, plan Plan) *Store {
	s := &Store{below: below}
	s.Set(plan)
	return s
}

// Set has another plan from now on. Its numbers begin anew. What is under way keeps the fault that it was given.
func (s *Store) Set(plan Plan) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.plan, s.calls, s.of = plan, 0, map[Method]int{}
}

// Injection is a fault that came in between a call.
type Injection struct {
	Call  Call
	Fault string // its name
}

// String tells what was done to which call.
func (i Injection) String() string { return i.Call.String() + ": " + i.Fault }

// Injected are the faults so far, of all plans, in the order of their calls.
func (s *Store) Injected() []Injection {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Injection(nil), s.injected...)
}

// next numbers a call and gives what is planned for it.
func (s *Store) next(c Call) Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	s.of[c.Method]++
	c.N, c.Nth = s.calls, s.of[c.Method]
	if s.plan == nil {
		return Fault{}
	}
	f := s.plan(c)
	if f.Name != "" {
		s.injected = append(s.injected, Injection{c, f.Name})
	}
	return f
}

// answer has a call carried out, with whatever is planned for it.
func answer[T any](ctx context.Context, s *Store, c Call, do func(context.Context) (T, error)) (T, error) {
	f := s.next(c)
	if f.Do == nil {
		return do(ctx)
	}
	var got result[T]
	err := f.Do(ctx, func(ctx context.Context) error {
		value, err := do(ctx)
		got.set(value, err)
		return err
	})
	return got.with(err)
}

// result is what came of a call that was carried out, if it was, and before the answer.
type result[T any] struct {
	mu    sync.Mutex
	value T
	err   error
}

func (r *result[T]) set(value T, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.value, r.err = value, err
}

// with is the answer: what came of the call, unless err is about something else.
func (r *result[T]) with(err error) (value T, _ error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil && !errors.Is(err, r.err) {
		return value, err
	}
	return r.value, err
}

// done is answer for what has no value.
func done(ctx context.Context, s *Store, c Call, do func(context.Context) error) error {
	_, err := answer(ctx, s, c, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

// Insert implements ledger.Store.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return done(ctx, s, Call{Method: Insert, Change: r.ID, Record: &r, Event: e}, func(ctx context.Context) error {
		return s.below.Insert(ctx, r, e, caps...)
	})
}

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	type read struct {
		record ledger.Record
		clock  ledger.Clock
	}
	got, err := answer(ctx, s, Call{Method: Get, Change: id}, func(ctx context.Context) (got read, err error) {
		got.record, got.clock, err = s.below.Get(ctx, id)
		return got, err
	})
	return got.record, got.clock, err
}

// Swap implements ledger.Store.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return done(ctx, s, Call{Method: Swap, Change: r.ID, Record: &r, Event: e}, func(ctx context.Context) error {
		return s.holds.claim(ctx, s.below, r, e, func() error { return s.below.Swap(ctx, r, notAfter, e, caps...) })
	})
}

// SwapInsert implements ledger.Store.
func (s *Store) SwapInsert(
	ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap,
) error {
	return done(ctx, s, Call{Method: SwapInsert, Change: old.ID, Record: &old, Event: e}, func(ctx context.Context) error {
		return s.below.SwapInsert(ctx, old, e, fresh, first, caps...)
	})
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	return answer(ctx, s, Call{Method: List, Query: q}, func(ctx context.Context) ([]ledger.Record, error) { return s.below.List(ctx, q) })
}

// Count implements ledger.Store.
func (s *Store) Count(ctx context.Context, q ledger.Query) (int, error) {
	return answer(ctx, s, Call{Method: Count, Query: q}, func(ctx context.Context) (int, error) { return s.below.Count(ctx, q) })
}

// Prune implements ledger.Store.
func (s *Store) Prune(ctx context.Context, q ledger.Query, limit int) (int, error) {
	return answer(ctx, s, Call{Method: Prune, Query: q}, func(ctx context.Context) (int, error) { return s.below.Prune(ctx, q, limit) })
}

// Events implements ledger.Store.
func (s *Store) Events(ctx context.Context, id string) ([]ledger.Event, error) {
	return answer(ctx, s, Call{Method: Events, Change: id}, func(ctx context.Context) ([]ledger.Event, error) { return s.below.Events(ctx, id) })
}

// Now implements ledger.Store.
func (s *Store) Now(ctx context.Context) (ledger.Clock, error) {
	return answer(ctx, s, Call{Method: Now}, func(ctx context.Context) (ledger.Clock, error) { return s.below.Now(ctx) })
}

// SensitiveKey implements ledger.Store.
func (s *Store) SensitiveKey(ctx context.Context) ([]byte, error) {
	return answer(ctx, s, Call{Method: SensitiveKey}, func(ctx context.Context) ([]byte, error) { return s.below.SensitiveKey(ctx) })
}

// Close implements ledger.Store. No fault comes in between.
func (s *Store) Close() error {
	s.holds.forget()
	return s.below.Close()
}
