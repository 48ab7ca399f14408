package postgres

import (
	"context"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// SwapInsert implements ledger.Store. When several hold, the answers come in the order of Swap, and then of Insert.
func (s *Store) SwapInsert(
	ctx context.Context, old ledger.Record, e ledger.Event, fresh ledger.Record, first ledger.Event, caps ...ledger.Cap,
) error {
	swap := &item{swaps: true, record: old, event: e, waits: true}
	insert := &item{record: fresh, event: first, caps: caps, exclusive: true, waits: true}
	err := s.transact(ctx, insert.doing(), func(ctx context.Context, tx transaction) error {
		needed := s.locksFor([]*item{insert})
		if len(needed) > 0 {
			query, args := needed.statement(&s.options, s.busyTimeout)
			if _, err := tx.Exec(ctx, query, args...); err != nil {
				return err
			}
		}
		if err := s.carryOut(ctx, tx, swap, nil); err != nil {
			return err
		}
		return s.carryOut(ctx, tx, insert, needed)
	})
	return s.unsure.after(err, swap, insert)
}

// carryOut writes an item in a transaction that has begun, and fails unless it is written. The transaction is then to be
// rolled back.
func (s *Store) carryOut(ctx context.Context, tx transaction, i *item, l locks) error {
	query, args, err := s.statementOf(i, l)
	if err != nil {
		return &unsentError{err}
	}
	rows, err := tx.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	p := &part{items: []*item{i}}
	if err := p.read(rows); err != nil {
		return err
	}
	if err := s.refusal(i); err != nil || i.done {
		return err
	}
	if err := s.whyNotWritten(ctx, tx, i); err != nil {
		return err
	}
	return s.gone(i)
}
