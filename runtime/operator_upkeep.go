package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/changesetgen/changesetgen/runtime/ledger"
)

// Expire closes what is over: changes that nobody applied in their time, and requests for an undo that came to nothing.
// They count as expired without it; it writes that down. It returns how many it closed, or would close if it rehearsed,
// with an error as well. A change that cannot be read stays as it is, and the error, which is ledger.ErrCorrupt, names the
// first of them once the others are closed.
func (o *Operator) Expire(ctx context.Context) (n int, err error) {
	at, err := o.now(ctx)
	if err != nil {
		return 0, err
	}
	var unread error
	patience := sinkPatience // for all of them
	for _, q := range []ledger.Query{
		{Statuses: []ledger.Status{ledger.Pending}},
		{Statuses: []ledger.Status{ledger.Applied}, UndoRequested: true},
	} {
		for r, err := range ledger.All(ctx, o.store, q) {
			if errors.Is(err, ledger.ErrCorrupt) {
				unread = cmp.Or(unread, o.failed(cmp.Or(r.ID, "unknown"), err))
				continue
			}
			if err != nil {
				return n, fmt.Errorf("look for what is over: %w", err)
			}
			closed, err := o.expire(ctx, &r, at)
			if closed {
				n++
				o.flush(ctx, &patience)
			}
			if err != nil {
				return n, err
			}
		}
	}
	return n, unread
}

// expire closes one change, if it is over. Whoever moved it in the meantime has the last word.
func (o *Operator) expire(ctx context.Context, r *ledger.Record, at moment) (closed bool, err error) {
	next, event, err := transition(*r, expire{}, at, o.policy)
	if err != nil {
		return false, nil // it is not over
	}
	if !o.trial {
		err = swapIn(ctx, o.store, &next, noTime, event)
	}
	switch {
	case err == nil:
		o.tell(ctx, &next, event, at.now)
		return true, nil
	case errors.Is(err, ledger.ErrConflict):
		return false, nil
	}
	return false, o.failed(r.ID, err)
}
