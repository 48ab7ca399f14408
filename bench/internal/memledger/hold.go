package memledger

import (
	"context"
	"crypto/rand"
	"strings"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// hold lasts until it is released. All who share the ledger are one process.
type hold struct {
	book *Book
	name string
}

// Hold implements ledger.Store.
func (s *Store) Hold(ctx context.Context) (ledger.Hold, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	h := &hold{s.book, strings.ToLower(rand.Text())}
	h.become(ledger.Alive)
	return h, nil
}

// Holder implements ledger.Store.
func (s *Store) Holder(ctx context.Context, name string) (ledger.Liveness, error) {
	if err := s.usable(ctx); err != nil {
		return ledger.Unknown, err
	}
	s.book.mu.RLock()
	defer s.book.mu.RUnlock()
	return s.book.holders[name], nil
}

func (h *hold) Name() string          { return h.name }
func (h *hold) Lost() <-chan struct{} { return nil }

func (h *hold) Release() error {
	h.become(ledger.Gone)
	return nil
}

func (h *hold) become(l ledger.Liveness) {
	h.book.mu.Lock()
	defer h.book.mu.Unlock()
	h.book.holders[h.name] = l
}
