package memledger

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// listed is how many records a list has that is not told how many.
const listed = 1000

// Store is a ledger.Store on a Book.
type Store struct {
	book   *Book
	clock  func() time.Time
	closed atomic.Bool
}

var _ ledger.Store = (*Store)(nil)

// Open gives a store on the ledger, which reads its time from clock.
func (b *Book) Open(clock func() time.Time) *Store { return &Store{book: b, clock: clock} }

// read has body look at the ledger, unless the store is closed or ctx is over.
func (s *Store) read(ctx context.Context, body func(now time.Time)) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	now := toMillisecond(s.clock())
	s.book.mu.RLock()
	defer s.book.mu.RUnlock()
	body(now)
	return nil
}

func (s *Store) usable(ctx context.Context) error {
	if s.closed.Load() {
		return fmt.Errorf("the ledger is closed: %w", os.ErrClosed)
	}
	return ctx.Err()
}

// Get implements ledger.Store.
func (s *Store) Get(ctx context.Context, id string) (r ledger.Record, at ledger.Clock, err error) {
	found := false
	err = s.read(ctx, func(now time.Time) {
		at = ledger.Clock{Now: now, Newest: s.book.newest}
		if e := s.book.entries[id]; e != nil {
			r, found = cloned(e.record), true
		}
	})
	if err == nil && !found {
		err = fmt.Errorf("get %s: %w", id, ledger.ErrNotFound)
	}
	return r, at, err
}

// Now implements ledger.Store.
func (s *Store) Now(ctx context.Context) (at ledger.Clock, err error) {
	err = s.read(ctx, func(now time.Time) { at = ledger.Clock{Now: now, Newest: s.book.newest} })
	return at, err
}

// Events implements ledger.Store.
func (s *Store) Events(ctx context.Context, id string) (events []ledger.Event, err error) {
	err = s.read(ctx, func(time.Time) {
		if e := s.book.entries[id]; e != nil {
			events = append(events, e.events...)
		}
	})
	return events, err
}

// List implements ledger.Store.
func (s *Store) List(ctx context.Context, q ledger.Query) (records []ledger.Record, err error) {
	limit := q.Limit
	if limit == 0 {
		limit = listed
	}
	err = s.read(ctx, func(now time.Time) {
		found := s.book.selected(q, now)
		for _, e := range found[:min(limit, len(found))] {
			records = append(records, cloned(e.record))
		}
	})
	return records, err
}

// Count implements ledger.Store.
func (s *Store) Count(ctx context.Context, q ledger.Query) (n int, err error) {
	q.After = ""
	err = s.read(ctx, func(now time.Time) { n = len(s.book.selected(q, now)) })
	return n, err
}

// SensitiveKey implements ledger.Store.
func (s *Store) SensitiveKey(ctx context.Context) ([]byte, error) {
	return bytes.Clone(s.book.key[:]), s.usable(ctx)
}

// Close implements ledger.Store.
func (s *Store) Close() error {
	s.closed.Store(true)
	return nil
}
