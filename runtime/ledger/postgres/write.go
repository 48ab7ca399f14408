package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/changesetgen/changesetgen/runtime/ledger"
	"github.com/changesetgen/changesetgen/runtime/ledger/internal/gather"
)

// Insert implements ledger.Store. When several hold, ErrExists comes before ErrRequested, and that before ErrCap.
func (s *Store) Insert(ctx context.Context, r ledger.Record, e ledger.Event, caps ...ledger.Cap) error {
	return s.write(ctx, &item{record: r, event: e, caps: caps})
}

// Swap implements ledger.Store. When several hold, ErrConflict comes before ErrExpired, then ErrHoldOver, then ErrCap.
func (s *Store) Swap(ctx context.Context, r ledger.Record, notAfter time.Time, e ledger.Event, caps ...ledger.Cap) error {
	return s.write(ctx, &item{swaps: true, record: r, notAfter: notAfter, event: e, caps: caps})
}

// write has an item written, with others that wait at the same time; or by itself, if somebody else keeps a lock that it needs.
func (s *Store) write(ctx context.Context, i *item) error {
	err := s.queue(ctx, s.writes, i)
	if errors.Is(err, errLocked) {
		i.waits = true
		err = s.queue(ctx, s.waiting, i)
	}
	return err
}

// errLocked says of an item that nothing was written because somebody else keeps a lock, that of its row perhaps, or because
// there is no such row.
var errLocked = errors.New("what it needs is locked")

// queue has an item written when it is its turn.
func (s *Store) queue(ctx context.Context, q *gather.Queue[*item], i *item) error {
	if err := s.checkOpen(); err != nil {
		return err
	}
	wait, cancel := s.patient(ctx)
	defer cancel()
	return s.explainQueue(ctx, i.doing(), q.Do(wait, i))
}

// explainQueue says why an item was not taken. Nothing was written then.
func (s *Store) explainQueue(ctx context.Context, doing string, err error) error {
	switch {
	case errors.Is(err, gather.ErrClosed):
		return s.checkOpen()
	case errors.Is(err, gather.ErrLeft) && ctx.Err() == nil:
		return s.busy(doing, "other writes of this program were in its way", nil)
	case errors.Is(err, gather.ErrLeft):
		return fmt.Errorf("%s: %s: left while waiting for its turn: %w", s, doing, ctx.Err())
	}
	return err
}

// doing says what an item is to do.
func (i *item) doing() string {
	if i.swaps {
		return fmt.Sprintf("update %s at revision %d", i.id(), i.record.Revision)
	}
	return "insert " + i.id()
}

// run writes the items that take gives, each with a verdict of its own.
func (s *Store) run(ctx context.Context, take func() []*item) (each []error, all error) {
	conn, err := s.acquire(ctx, s.pool, "write")
	if err != nil {
		return nil, err
	}
	items := take()
	t := &turn{store: s, conn: conn, until: time.Now().Add(s.busyTimeout)}
	defer t.end()
	defer func() {
		if each == nil { // because of a panic: it may have come as far as the server
			_ = s.unsure.after(errUndecided, items...)
		}
	}()
	return t.write(context.WithoutCancel(ctx), items), nil
}

// refusal is what the verdict on an item means, when its transaction was committed or would have been; nil if it is written,
// or if only a look tells why it is not.
func (s *Store) refusal(i *item) error {
	if c, isIt := i.capOf(full); isIt && i.swaps {
		return fmt.Errorf("%s: %s: %w", s, i.doing(), &ledger.CapError{Cap: c})
	}
	switch {
	case i.verdict == outdated:
		return nil // a ledger that has lost its row has the same verdict
	case i.verdict == locked:
		return errLocked
	case i.verdict == expired:
		return fmt.Errorf("%s: %s: %w", s, i.doing(), ledger.ErrExpired)
	case i.verdict == over:
		return fmt.Errorf("%s: %s: %w: %s", s, i.doing(), ledger.ErrHoldOver, i.record.Holder)
	case i.swaps && !i.done:
		return fmt.Errorf("%s: %s: %w", s, i.doing(), ledger.ErrConflict)
	}
	return nil
}
