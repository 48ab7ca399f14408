package histories_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// store is a ledger as a mortal has it.
type store struct {
	ledger.Store
	*mortal
	tally *tally
	hold  atomic.Pointer[hold]
}

func (s *store) write(method string, call func() error) error {
	_, err := reach(s, method, func() (struct{}, error) { return struct{}{}, call() })
	return err
}

func (s *store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.write("Insert", func() error { return s.Store.Insert(ctx, r, e, caps...) })
}

// counted counts what the ledger took, whether the answer is lost or not.
func (s *store) counted(r *ledger.Record, e ledger.Event, err error) error {
	if err == nil {
		s.tally.wrote(r, e)
	}
	return err
}

func (s *store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	write := func() error { return s.counted(&r, e, s.Store.Swap(ctx, r, notAfter, e, caps...)) }
	if s.faults.lie != nil {
		return s.faults.lie(&r, write)
	}
	return s.write("Swap", write)
}

func (s *store) SwapInsert(ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap) error {
	return s.write("SwapInsert", func() error { return s.counted(&old, e, s.Store.SwapInsert(ctx, old, e, fresh, first, caps...)) })
}

func (s *store) Get(ctx context.Context, id string) (ledger.Record, ledger.Clock, error) {
	type got struct {
		r ledger.Record
		c ledger.Clock
	}
	g, err := reach(s, "Get", func() (g got, err error) {
		g.r, g.c, err = s.Store.Get(ctx, id)
		return g, err
	})
	return g.r, g.c, err
}

func (s *store) List(ctx context.Context, q ledger.Query) ([]ledger.Record, error) {
	return reach(s, "List", func() ([]ledger.Record, error) { return s.Store.List(ctx, q) })
}

func (s *store) Count(ctx context.Context, q ledger.Query) (int, error) {
	return reach(s, "Count", func() (int, error) { return s.Store.Count(ctx, q) })
}

func (s *store) Prune(ctx context.Context, q ledger.Query, limit int) (int, error) {
	return reach(s, "Prune", func() (int, error) { return s.Store.Prune(ctx, q, limit) })
}

func (s *store) Events(ctx context.Context, id string) ([]ledger.Event, error) {
	return reach(s, "Events", func() ([]ledger.Event, error) { return s.Store.Events(ctx, id) })
}

func (s *store) Now(ctx context.Context) (ledger.Clock, error) {
	return reach(s, "Now", func() (ledger.Clock, error) { return s.Store.Now(ctx) })
}

func (s *store) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	l, err := reach(s, "Holder", func() (ledger.Liveness, error) { return s.Store.Holder(ctx, name) })
	if err != nil {
		s.blind.Add(1)
	}
	return l, err
}

func (s *store) SensitiveKey(ctx context.Context) ([]byte, error) {
	return reach(s, "SensitiveKey", func() ([]byte, error) { return s.Store.SensitiveKey(ctx) })
}

func (s *store) Hold(ctx context.Context) (ledger.Hold, error) {
	h, err := reach(s, "Hold", func() (*hold, error) {
		h, err := s.Store.Hold(ctx)
		if err != nil {
			return nil, err
		}
		mine := &hold{Hold: h, of: s.mortal}
		s.hold.Store(mine)
		return mine, nil
	})
	if err != nil {
		return nil, err
	}
	return h, nil
}

// hold is released by its process, or with it.
type hold struct {
	ledger.Hold
	of *mortal
}

func (h *hold) Release() error {
	if h.of.dead() {
		return errDead
	}
	return h.Hold.Release()
}

// reach makes a call of the store, or has something come in between.
func reach[T any](s *store, method string, call func() (T, error)) (T, error) {
	var none T
	if !s.enter() {
		return none, errDead
	}
	defer s.leave()
	chance, f := s.upTo(10_000), s.faults.now()
	within := func(share int) bool {
		chance -= share
		return chance < 0
	}
	switch {
	case within(f.dies):
		s.dies(method)
		return none, errDead
	case within(f.busy):
		return none, fmt.Errorf("test: %w", ledger.ErrBusy)
	case within(f.lost):
		s.misses()
		return none, errLost
	case within(f.diesAfter):
		defer s.dies(method)
		_, _ = call()
		return none, errDead
	case within(f.lostAfter):
		_, _ = call()
		s.misses()
		return none, errLost
	}
	value, err := call()
	if s.dead() {
		return none, errDead
	}
	return value, err
}

// misses is the time that it takes to notice that no answer comes, in which others go on, and may do the same.
func (s *store) misses() { time.Sleep(time.Duration(s.upTo(int(mostMissed)))) }

// dies kills the process in a call.
func (s *store) dies(method string) {
	s.tally.died(method)
	s.kill()
}
