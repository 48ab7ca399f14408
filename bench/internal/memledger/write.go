package memledger

import (
	"context"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// write has body write at its turn, in one step: body first finds out whether it may, and fails before it changes anything.
func (s *Store) write(ctx context.Context, body func(at time.Time) error) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	select {
	case s.book.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-s.book.turn }()
	at := toMillisecond(s.clock())
	s.book.mu.Lock()
	defer s.book.mu.Unlock()
	return body(at)
}

// Insert implements ledger.Store.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.write(ctx, func(at time.Time) error {
		if err := s.book.mayInsert(&r, at, nil, caps); err != nil {
			return err
		}
		s.book.insert(r, at, e)
		return nil
	})
}

// Swap implements ledger.Store.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return s.write(ctx, func(at time.Time) error {
		if err := s.book.maySwap(&r, at, notAfter, caps); err != nil {
			return err
		}
		s.book.swap(r, at, e)
		return nil
	})
}

// SwapInsert implements ledger.Store.
func (s *Store) SwapInsert(
	ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap,
) error {
	return s.write(ctx, func(at time.Time) error {
		if err := s.book.maySwap(&old, at, time.Time{}, nil); err != nil {
			return err
		}
		if err := s.book.mayInsert(&fresh, at, &old, caps); err != nil {
			return err
		}
		s.book.swap(old, at, e)
		s.book.insert(fresh, at, first)
		return nil
	})
}

// Prune implements ledger.Store.
func (s *Store) Prune(ctx context.Context, q ledger.Query, limit int) (n int, err error) {
	q.Newest = false
	err = s.write(ctx, func(at time.Time) error {
		for _, e := range s.book.selected(q, at) {
			if n >= limit {
				break
			}
			if prunable(&e.record, &q, at) {
				s.book.drop(&e.record)
				n++
			}
		}
		return nil
	})
	return n, err
}

// mayInsert says why a record cannot be added. In the same step, also becomes as it is given, unless it is nil.
func (b *Book) mayInsert(r *ledger.Record, at time.Time, also *ledger.Record, caps []ledger.Cap) error {
	if b.entries[r.ID] != nil {
		return fmt.Errorf("insert %s: %w", r.ID, ledger.ErrExists)
	}
	_, requested := b.requests[requestOf(r)]
	_, retried := b.retries[r.RetryOf]
	if requested || retried {
		return fmt.Errorf("insert %s: %w", r.ID, ledger.ErrRequested)
	}
	return b.checkCaps(caps, at, r.ID, also)
}

func (b *Book) insert(r ledger.Record, at time.Time, e ledger.Event) {
	r.Revision = 1
	b.put(stored(r), at, e)
}

// maySwap says why a record cannot take the place of what is there.
func (b *Book) maySwap(r *ledger.Record, at, notAfter time.Time, caps []ledger.Cap) error {
	known := b.entries[r.ID]
	opens := r.Status == ledger.Applying || r.Status == ledger.Undoing
	switch {
	case known == nil || known.record.Revision != r.Revision:
		return fmt.Errorf("update %s: %w", r.ID, ledger.ErrConflict)
	case opens && known.record.Status != r.Status && b.holders[r.Holder] == ledger.Gone:
		return fmt.Errorf("update %s: %w", r.ID, ledger.ErrHoldOver)
	case !notAfter.IsZero() && !at.Before(toMillisecond(notAfter)):
		return fmt.Errorf("update %s: %w", r.ID, ledger.ErrExpired)
	}
	return b.checkCaps(caps, at, r.ID, nil)
}

func (b *Book) swap(r ledger.Record, at time.Time, e ledger.Event) {
	r.Fixed = b.entries[r.ID].record.Fixed
	r.Revision++
	b.put(stored(r), at, e)
}

// checkCaps fails unless every cap has room for one more record. The one that is written is not counted.
func (b *Book) checkCaps(caps []ledger.Cap, at time.Time, written string, also *ledger.Record) error {
	for _, c := range caps {
		n := 0
		b.among(&c.Of, func(e *entry) {
			r := &e.record
			if r.ID != written && (also == nil || r.ID != also.ID) && matches(r, &c.Of, at) {
				n++
			}
		})
		if also != nil && matches(also, &c.Of, at) {
			n++
		}
		if n >= c.Max {
			return &ledger.CapError{Cap: c}
		}
	}
	return nil
}
