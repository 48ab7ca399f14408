package faults

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// holds are the registrations that were made through one Store.
type holds struct {
	ending sync.RWMutex // read-locked by claims, so that none is on its way when a hold ends
	over   map[string]bool

	mu  sync.Mutex
	all []*hold
}

// hold is a registration that a test may end.
type hold struct {
	ledger.Hold
	store *Store
	once  sync.Once
	lost  chan struct{}
	left  context.Context // over once nobody needs to know any more whether the hold below is lost
	leave context.CancelFunc
}

// Hold implements ledger.Store. Its Lost is never nil: LoseHolds and EndHolds close it.
func (s *Store) Hold(ctx context.Context) (ledger.Hold, error) {
	h, err := answer(ctx, s, Call{Method: Hold}, func(ctx context.Context) (*hold, error) {
		below, err := s.below.Hold(ctx)
		if err != nil {
			return nil, err
		}
		return s.holds.add(s, below), nil
	})
	if err != nil || h == nil {
		return nil, err
	}
	return h, nil
}

func (a *holds) add(s *Store, below ledger.Hold) *hold {
	h := &hold{Hold: below, store: s, lost: make(chan struct{})}
	h.left, h.leave = context.WithCancel(context.Background())
	if lost := below.Lost(); lost != nil {
		go func() {
			select {
			case <-lost:
				h.lose()
			case <-h.left.Done():
			}
		}()
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all = append(a.all, h)
	return h
}

// forget ends what waits for holds below to be lost.
func (a *holds) forget() {
	for _, h := range a.made() {
		h.leave()
	}
}

func (a *holds) made() []*hold {
	a.mu.Lock()
	defer a.mu.Unlock()
	return append([]*hold(nil), a.all...)
}

func (h *hold) lose() { h.once.Do(func() { close(h.lost) }) }

// Lost implements ledger.Hold. The hold below is asked each time: it may be lost by what its clock says only now.
func (h *hold) Lost() <-chan struct{} {
	select {
	case <-h.Hold.Lost():
		h.lose()
	default:
	}
	return h.lost
}

// Release implements ledger.Hold.
func (h *hold) Release() error {
	return done(context.Background(), h.store, Call{Method: Release, Holder: h.Name()}, func(context.Context) error {
		err := h.Hold.Release()
		if err == nil {
			h.leave()
		}
		return err
	})
}

// LoseHolds closes Lost of all holds that were made through this Store, as when their process has not reached the ledger for
// most of the time that a registration lasts. They are still registered.
func (s *Store) LoseHolds() {
	for _, h := range s.holds.made() {
		h.lose()
	}
}

// EndHolds ends all holds that were made through this Store, whose process does not know it: others find it gone, and what
// it claims from now on is ErrHoldOver. It waits for the claims that the ledger has taken. Lost is closed as well.
func (s *Store) EndHolds() error {
	s.holds.ending.Lock()
	defer s.holds.ending.Unlock()
	if s.holds.over == nil {
		s.holds.over = map[string]bool{}
	}
	var failures []error
	for _, h := range s.holds.made() {
		s.holds.over[h.Name()] = true
		failures = append(failures, h.Hold.Release())
		h.lose()
		h.leave()
	}
	return errors.Join(failures...)
}

// claim has a transition carried out, unless it begins a claim whose holder is over.
func (a *holds) claim(ctx context.Context, below ledger.Store, r ledger.Record, e ledger.Event, swap func() error) error {
	if r.Status != ledger.Applying && r.Status != ledger.Undoing || e.From == r.Status {
		return swap()
	}
	a.ending.RLock()
	defer a.ending.RUnlock()
	over := a.over[r.Holder]
	if !over {
		is, err := below.Holder(ctx, r.Holder)
		over = err == nil && is == ledger.Gone
	}
	if over {
		return fmt.Errorf("claim %s: %w", r.ID, ledger.ErrHoldOver)
	}
	return swap()
}

// Holder implements ledger.Store.
func (s *Store) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	return answer(ctx, s, Call{Method: Holder, Holder: name}, func(ctx context.Context) (ledger.Liveness, error) {
		s.holds.ending.RLock()
		defer s.holds.ending.RUnlock()
		if s.holds.over[name] {
			return ledger.Gone, nil
		}
		return s.below.Holder(ctx, name)
	})
}
